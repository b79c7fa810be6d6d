-- `harn lsp` in neovim. The set-up on the page docs/editors.md has been run before; the folder has main.harn and lib.harn.
local good, bad = 0, 0

local function check(name, test)
  local ok, problem = pcall(test)
  if ok then
    good = good + 1
  else
    bad = bad + 1
    io.stdout:write("FAIL " .. name .. ": " .. tostring(problem) .. "\n")
  end
end

local function wait_for(what, test)
  assert(vim.wait(10000, test, 50), "this never came: " .. what)
end

local function at(piece, inside)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local column = line:find(piece, 1, true)
    if column then
      vim.api.nvim_win_set_cursor(0, { number, column - 1 + (inside or 0) })
      return
    end
  end
  error("there is no " .. piece)
end

local function ask(method, more)
  local params = vim.lsp.util.make_position_params()
  for key, value in pairs(more or {}) do params[key] = value end
  local answers = assert(vim.lsp.buf_request_sync(0, method, params, 10000))
  local _, answer = next(answers)
  assert(answer and not answer.err, answer and vim.inspect(answer.err) or "no answer to " .. method)
  return answer.result
end

local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") end

vim.cmd("edit main.harn")
wait_for("the server", function() return #vim.tbl_values(vim.lsp.buf_get_clients(0)) == 1 end)
wait_for("initialize", function() return vim.tbl_values(vim.lsp.buf_get_clients(0))[1].server_capabilities ~= nil end)

check("diagnostics follow edits", function()
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'pub let wrong: int = "x"' })
  wait_for("a diagnostic", function() return #vim.diagnostic.get(0) == 1 end)
  assert(vim.diagnostic.get(0)[1].code == "HARN-TYP-007", vim.inspect(vim.diagnostic.get(0)))
  vim.api.nvim_buf_set_lines(0, -2, -1, false, {})
  wait_for("no diagnostic", function() return #vim.diagnostic.get(0) == 0 end)
end)

check("hover", function()
  at("add_one(41)")
  assert(ask("textDocument/hover").contents.value:find("fn add_one(n: int) -> int", 1, true))
end)

check("completion", function()
  at("p.x", 2)
  local labels = {}
  for _, item in ipairs(ask("textDocument/completion").items) do labels[item.label] = true end
  assert(labels.x and labels.y)
end)

check("signature help", function()
  at("41)")
  assert(ask("textDocument/signatureHelp").signatures[1].label == "fn add_one(n: int) -> int")
end)

check("symbols, folds, tokens, calls", function()
  assert(#ask("textDocument/documentSymbol") == 2)
  assert(#ask("workspace/symbol", { query = "label" }) == 1)
  assert(#ask("textDocument/foldingRange") > 0)
  assert(#ask("textDocument/semanticTokens/full").data > 20)
  at("add_one(41)")
  local item = ask("textDocument/prepareCallHierarchy")[1]
  assert(ask("callHierarchy/incomingCalls", { item = item })[1].from.name == "default")
end)

check("formatting", function()
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { "let   spaced=1" })
  if vim.lsp.buf.format then vim.lsp.buf.format({ timeout_ms = 10000 }) else vim.lsp.buf.formatting_sync(nil, 10000) end
  assert(text():find("let spaced = 1", 1, true), text())
end)

check("rename changes other files", function()
  at("label(p)")
  vim.lsp.buf.rename("caption")
  wait_for("the new name", function() return text():find("caption(p)", 1, true) ~= nil end)
  local other = vim.fn.bufnr("lib.harn")
  assert(other > 0 and vim.api.nvim_buf_get_lines(other, 1, 2, false)[1]:find("pub fn caption", 1, true))
end)

check("definition goes to the other file", function()
  at("caption(p)")
  -- Edits of other buffers are sent a little later.
  wait_for("a definition", function() return ask("textDocument/definition") ~= nil end)
  vim.lsp.buf.definition()
  wait_for("lib.harn", function() return vim.fn.expand("%:t") == "lib.harn" end)
  assert(vim.api.nvim_win_get_cursor(0)[1] == 2)
end)

io.stdout:write(good .. " passed, " .. bad .. " failed\n")
io.stdout:flush()
vim.cmd("qall!")
