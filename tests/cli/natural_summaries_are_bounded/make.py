"""A function with 10,000 variables, and one with a value of 100 MB: what a model is shown of them is bounded."""

print("""import { natural_run } from "std/natural"

@natural_function
fn many() {
  var result = 0""")
for number in range(10_000):
    print(f"  let v{number} = {number}")
print("""  "natural\\nSet <:result>."
  return result
}

@natural_function
fn large(text) {
  "natural\\nLook at <text>."
}

natural_run({step_executor: { step ->
  let shown = step.user_prompt
  println([shown.count < 33000, shown.contains("more variables are not shown") || shown.contains("(cut)"), step.locals().count])
  {step_outcome: {kind: "pass"}, bindings: {result: 1}}
}}, { ->
  println(many())
  large("x".repeat(100000000))
})""")
