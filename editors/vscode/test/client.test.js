// The server, driven by the protocol library of Visual Studio Code itself (what its language client speaks with).
// GNOMON names the program (else it is looked for in PATH).

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const { mkdtempSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { performance } = require("node:perf_hooks");
const test = require("node:test");
const { pathToFileURL } = require("node:url");
const protocol = require("vscode-languageserver-protocol/node");

const program = process.env.GNOMON ?? "gnomon";
const patience = 120_000;
const bug = `#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    assert(n != 42);
    return 0;
}
`;
// Whether a number of 61 bits is a product of two others takes longer than anybody waits here.
const long = `extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);
int main(void)
{
    unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();
    if (a < 2 || b < 2 || a >= 1ul << 31 || b >= 1ul << 31)
        return 0;
    if (a * b == 2305843009213693951ul)
        reach_error();
    return 0;
}
`;

async function client(name, text) {
  const folder = mkdtempSync(join(tmpdir(), "gnomon-client-"));
  const env = { ...process.env, XDG_CACHE_HOME: folder };
  const server = spawn(program, ["lsp"], { stdio: ["pipe", "pipe", "inherit"], env });
  const file = join(folder, name);
  writeFileSync(file, text);
  const uri = pathToFileURL(file).toString();
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout), new protocol.StreamMessageWriter(server.stdin));
  const told = [];
  const waiting = [];
  const arrived = (kind, params) => {
    told.push({ kind, params });
    for (const wait of waiting) wait();
  };
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (params) => arrived("diagnostics", params.diagnostics));
  connection.onNotification("$/progress", (params) => arrived("progress", params));
  connection.onRequest(protocol.WorkDoneProgressCreateRequest.type, () => null);
  connection.onRequest(protocol.CodeLensRefreshRequest.type, () => null);
  connection.onRequest(protocol.InlayHintRefreshRequest.type, () => null);
  connection.listen();
  const options = { time: 100, memory: 2000 };
  const answer = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid, rootUri: null, capabilities: { window: { workDoneProgress: true } }, initializationOptions: options,
  });
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "c", version: 1, text },
  });
  // What is told from now on, or was told and not taken yet.
  const until = (wanted) => new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing of that was told: ${JSON.stringify(told)}`)), patience);
    const look = () => {
      const at = told.findIndex(wanted);
      if (at < 0) return;
      clearTimeout(timer);
      waiting.splice(waiting.indexOf(look), 1);
      resolve(told.splice(0, at + 1)[at].params);
    };
    waiting.push(look);
    look();
  });
  const leave = async () => {
    const left = new Promise((resolve) => server.on("exit", resolve));
    await connection.sendRequest(protocol.ShutdownRequest.type);
    await connection.sendNotification(protocol.ExitNotification.type);
    assert.strictEqual(await left, 0);
    connection.dispose();
  };
  return { connection, uri, answer, until, leave };
}

test("a bug is shown, and goes when the text is mended", async () => {
  const { connection, uri, answer, until, leave } = await client("bug.c", bug);
  assert.strictEqual(answer.serverInfo.name, "gnomon");
  const begun = performance.now();
  const found = await until(({ kind, params }) => kind === "diagnostics" && params.length > 0);
  console.log(`diagnostics after ${Math.round(performance.now() - begun)} ms`);
  assert.strictEqual(found[0].message, "this assertion can fail: assert(n != 42)");
  assert.strictEqual(found[0].range.start.line, 5);
  assert.ok(found[0].relatedInformation.some((related) => related.message === "n = 42 (input)"));
  const textDocument = { uri };
  const hover = await connection.sendRequest(protocol.HoverRequest.type, { textDocument, position: { line: 4, character: 4 } });
  assert.match(hover.contents.value, /n = 42 \(input\)/);
  const lenses = await connection.sendRequest(protocol.CodeLensRequest.type, { textDocument });
  assert.deepStrictEqual(lenses.map((lens) => lens.command.title), ["can fail · check again"]);
  const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  const hints = await connection.sendRequest(protocol.InlayHintRequest.type, { textDocument, range });
  assert.deepStrictEqual(hints.map((hint) => hint.label), ["n = 42"]);
  const step = (by) => connection.sendRequest(protocol.ExecuteCommandRequest.type, { command: "gnomon.step", arguments: [uri, by] });
  const first = await step(1);
  assert.deepStrictEqual([first.step, first.range.start.line, first.events], [1, 4, "n = 42 (input)"]);
  assert.strictEqual(await step(0), null);
  const mended = bug.replace("n != 42", "n == n");
  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 }, contentChanges: [{ text: mended }],
  });
  await until(({ kind, params }) => kind === "diagnostics" && params.length === 0);
  await leave();
});

test("a check is cancelled within 200 ms", async () => {
  const { connection, until, leave } = await client("long.c", long);
  const { token } = await until(({ kind, params }) => kind === "progress" && params.value.kind === "begin");
  await new Promise((resolve) => setTimeout(resolve, 500));
  const begun = performance.now();
  await connection.sendNotification(protocol.WorkDoneProgressCancelNotification.type, { token });
  await until(({ kind, params }) => kind === "progress" && params.token === token && params.value.kind === "end");
  const milliseconds = performance.now() - begun;
  console.log(`cancelled after ${milliseconds.toFixed(1)} ms`);
  assert.ok(milliseconds < 200, `${milliseconds} ms`);
  await leave();
});
