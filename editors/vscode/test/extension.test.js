// The extension as it is packaged, with its language client, in a stub of the editor (`support/editor.js`): it is
// activated, starts the real server, and its commands, diagnostics, lenses, hovers, hints and report page are used.
// GNOMON names the program (else it is looked for in PATH).

const assert = require("node:assert");
const { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { after, test } = require("node:test");
const { editor, until } = require("./support/editor.js");
const manifest = require("../package.json");

const folder = realpathSync(mkdtempSync(join(tmpdir(), "gnomon-test-")));
process.env.XDG_CACHE_HOME = join(folder, "cache");
const defaults = Object.entries(manifest.contributes.configuration.properties)
  .map(([name, { default: value }]) => [name.replace("gnomon.", ""), value]);
const code = editor({ ...Object.fromEntries(defaults), path: process.env.GNOMON ?? "gnomon", time: 50 });
const load = Module._load;
Module._load = function (name, ...rest) {
  return name === "vscode" ? code.api : load.call(this, name, ...rest);
};
const extension = require("../out/extension.js");
const context = { subscriptions: [] };

const bug = `#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    assert(n != 42);
    return 0;
}
`;
const write = (name, text) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const titles = async (document) => (await code.lenses(document)).map((lens) => lens.command.title);

after(async () => {
  await extension.deactivate();
  context.subscriptions.forEach((one) => one.dispose());
});

test("it is activated: the server is started, all commands are there", async () => {
  await extension.activate(context);
  assert.deepStrictEqual(code.seen.errors, []);
  const wanted = manifest.contributes.commands.map(({ command }) => command);
  const server = ["gnomon.check", "gnomon.checkFunction", "gnomon.step", "gnomon.commandLine"];
  assert.deepStrictEqual(code.commands().sort(), [...wanted, ...server].sort());
});

test("a bug is shown, gone through step by step, and goes when the text is mended", async () => {
  const shown = code.open(write("bug.c", bug));
  const { document } = shown;
  const [found] = await until("diagnostics", () => {
    const found = code.diagnostics(document).filter(({ severity }) => severity === 0);
    return found.length > 0 && found;
  });
  assert.strictEqual(found.message, "this assertion can fail: assert(n != 42)");
  assert.strictEqual(found.range.start.line, 5);
  assert.ok(found.relatedInformation.some(({ message }) => message === "n = 42 (input)"));
  assert.deepStrictEqual(await titles(document), ["can fail · check again"]);
  const [hover] = await code.hover(document, 4);
  assert.match(hover.contents[0].value, /n = 42 \(input\)/);
  assert.deepStrictEqual((await code.hints(document)).map(({ label }) => label), ["n = 42"]);

  await code.api.commands.executeCommand("gnomon.nextStep");
  assert.match(code.seen.status.at(-1), /^step 1 of \d+: n = 42 \(input\)$/);
  assert.strictEqual(shown.selection.active.line, 4);
  assert.strictEqual(shown.revealed.at(-1).start.line, 4);
  await code.api.commands.executeCommand("gnomon.previousStep");
  await code.api.commands.executeCommand("gnomon.endSteps");

  code.change(document, bug.replace("n != 42", "n == n"));
  await until("no diagnostics", () => code.diagnostics(document).length === 0);
  await document.save();
  await until("a proof", async () => (await titles(document))[0] === "proved · check again");
  assert.ok(code.seen.progress.length > 0 && code.seen.progress.every(({ title }) => title === "gnomon: checking main"));
});

test("the lens over a function checks it", async () => {
  const { document } = code.open(write("quotient.c", "int quotient(int a, int b)\n{\n    return a / b;\n}\n"));
  const [lens] = await until("a lens", async () => {
    const lenses = await code.lenses(document);
    return lenses.length > 0 && lenses;
  });
  assert.strictEqual(lens.command.title, "check this function");
  const answer = await code.api.commands.executeCommand(lens.command.command, ...lens.command.arguments);
  assert.strictEqual(answer.verdict, "FALSE");
  await until("diagnostics", () => code.diagnostics(document).length > 0);
  assert.deepStrictEqual(await titles(document), ["can fail · check again"]);
});

test("the report page is of the check that is configured, with the flags of the build", async () => {
  const text = '#include "limit.h"\nextern int __VERIFIER_nondet_int(void);\nint main(void)\n{\n'
    + "    return __VERIFIER_nondet_int() + LIMIT;\n}\n";
  mkdirSync(join(folder, "the headers"));
  write("the headers/limit.h", "#define LIMIT 2\n");
  const file = write("limit.c", text);
  const command = "cc -I'the headers' -c limit.c";
  write("compile_commands.json", JSON.stringify([{ directory: folder, file: "limit.c", command }]));
  const { document } = code.open(file);
  await until("a proof", async () => (await titles(document))[0] === "proved · check again");
  const report = async () => {
    await code.api.commands.executeCommand("gnomon.report");
    const { webview, options } = code.seen.panels.at(-1);
    assert.ok(options.enableScripts);
    assert.match(webview.html, /<!doctype html>/i);
    return /"verdict":\s*"(\w+)"/.exec(webview.html)[1];
  };
  assert.strictEqual(await report(), "TRUE");
  code.configure("checks", ["overflow"]);
  assert.strictEqual(await report(), "FALSE");
  await code.api.commands.executeCommand("gnomon.checkFile");
  await until("the overflow", () => code.diagnostics(document).some(({ message }) => /overflow/.test(message)));
  code.configure("checks", []);
});

test("a page that cannot be made says why", async () => {
  const { document } = code.open(write("wrong.c", "int main(void) { return 0 }\n"));
  await code.api.commands.executeCommand("gnomon.report");
  const { webview } = code.seen.panels.at(-1);
  assert.match(webview.html, /^<pre>/);
  assert.match(webview.html, /wrong\.c/);
  assert.ok(document);
  code.api.window.activeTextEditor = undefined;
  await code.api.commands.executeCommand("gnomon.report");
  assert.strictEqual(code.seen.information.at(-1), "Open a C file first.");
});

test("a server that hangs is replaced", async () => {
  const { path } = code.settings;
  // It answers the first request, and no other.
  const text = '{"jsonrpc":"2.0","id":0,"result":{"capabilities":{}}}';
  const answer = `printf 'Content-Length: ${text.length}\\r\\n\\r\\n%s' '${text}'`;
  const hangs = write("hangs.sh", `#!/bin/sh\n${answer}\n: > "$0.is-there"\nexec sleep 60\n`);
  chmodSync(hangs, 0o755);
  code.configure("path", hangs);
  await until("the other server", () => existsSync(`${hangs}.is-there`));
  const { document } = code.open(write("after.c", bug));
  code.configure("path", path);
  await until("diagnostics", () => code.diagnostics(document).length > 0);
});

test("it is started again, and says so where there is no program", async () => {
  await code.api.commands.executeCommand("gnomon.restart");
  const { document } = code.open(write("again.c", bug));
  await until("diagnostics", () => code.diagnostics(document).length > 0);
  const { path } = code.settings;
  // Another program is another server.
  code.configure("path", join(folder, "missing"));
  await until("a complaint", () => code.seen.errors.some((message) => /Gnomon does not start .* set gnomon\.path/.test(message)));
  await code.api.commands.executeCommand("gnomon.report");
  assert.match(code.seen.panels.at(-1).webview.html, /not running/);
  code.configure("path", path);
  await until("diagnostics", () => code.diagnostics(document).length > 0);
});
