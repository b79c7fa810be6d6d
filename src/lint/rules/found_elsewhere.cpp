// Rules whose problems are found by others (the resolver, the checks of templates): their names are known here so that a project can switch them off. What is an
// error (a call target that does not exist, `break` outside a loop) is nobody's to switch off, and has no name here.
#include "lint/rule.h"

namespace harn::lint {

extern const Rule kPersonaHookTarget = {.name = "persona-hook-target", .code = diag::Code::UnknownStep};
extern const Rule kTemplateVariantExplosion = {.name = "template-variant-explosion",
                                               .code = diag::Code::TemplateVariants};
extern const Rule kTemplateProviderBranch = {.name = "template-provider-identity-branch",
                                             .code = diag::Code::TemplateProviderBranch};

}  // namespace harn::lint
