// The extension against a stub of the editor. Its functions are called, and the command that it starts is started
// and talked to here, so the server and the page are the real ones; the language client itself is not run, since it
// needs a whole editor.
// GNOMON names the program (else it is looked for in PATH).

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const { mkdtempSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const test = require("node:test");

const program = process.env.GNOMON ?? "gnomon";
const bug = `#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    assert(n != 42);
    return 0;
}
`;

// Every class that the language client extends, and every enumeration that it reads.
const anything = () => new Proxy(class {}, { get: (target, name) => (name in target ? target[name] : name === "prototype" ? target.prototype : 0) });
const settings = { path: program, time: 20, flags: [], checks: [], onSave: true };
const editor = {
  workspace: {
    getConfiguration: () => ({ get: (name, otherwise) => settings[name] ?? otherwise }),
    onDidChangeConfiguration: () => ({ dispose() {} }),
  },
  window: {
    activeTextEditor: undefined,
  },
  commands: {
    registerCommand: () => ({ dispose() {} }),
  },
  ViewColumn: { Beside: 2 },
};
const stub = new Proxy(editor, { get: (target, name) => target[name] ?? anything() });
const load = Module._load;
Module._load = function (name, ...rest) {
  return name === "vscode" ? stub : load.call(this, name, ...rest);
};
const extension = require("../out/extension.js");
const file = join(mkdtempSync(join(tmpdir(), "gnomon-test-")), "bug.c");
writeFileSync(file, bug);

test("settings go to the server", () => {
  assert.deepStrictEqual(extension.settings(), { flags: [], checks: [], time: 20, onSave: true, cache: true });
});

test("the report page of a file with a bug", async () => {
  const text = await extension.page(file);
  assert.match(text, /<!doctype html>/i);
  assert.match(text, /bug\.c/);
  await assert.rejects(extension.page("/no/such/file.c"));
});

test("the server that it starts finds the bug, with what the extension tells it", async () => {
  const server = spawn(program, ["lsp"]);
  const frame = (message) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const found = new Promise((resolve) => {
    let rest = Buffer.alloc(0);
    server.stdout.on("data", (data) => {
      rest = Buffer.concat([rest, data]);
      for (;;) {
        const head = rest.indexOf("\r\n\r\n");
        if (head < 0) return;
        const length = Number(/Content-Length: (\d+)/.exec(rest.subarray(0, head).toString())[1]);
        if (rest.length < head + 4 + length) return;
        const message = JSON.parse(rest.subarray(head + 4, head + 4 + length).toString());
        rest = rest.subarray(head + 4 + length);
        if (message.params?.diagnostics?.length > 0) resolve(message.params.diagnostics);
      }
    });
  });
  frame({ id: 1, method: "initialize", params: { capabilities: {}, initializationOptions: extension.settings() } });
  frame({ method: "initialized", params: {} });
  frame({ method: "textDocument/didOpen", params: { textDocument: { uri: `file://${file}`, languageId: "c", version: 1, text: bug } } });
  const diagnostics = await found;
  server.kill();
  assert.strictEqual(diagnostics[0].message, "this assertion can fail: assert(n != 42)");
  assert.strictEqual(diagnostics[0].range.start.line, 5);
});
