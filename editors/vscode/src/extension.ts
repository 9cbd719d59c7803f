// Starts `gnomon lsp` for C files, and shows the report page. Everything else is done by the server.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

/** What the server is told, from the settings. */
export function settings(): object {
  const chosen = vscode.workspace.getConfiguration("gnomon");
  return {
    flags: chosen.get("flags", []),
    checks: chosen.get("checks", []),
    time: chosen.get("time", 60),
    onSave: chosen.get("onSave", true),
    cache: chosen.get("cache", true),
  };
}

function program(): string {
  return vscode.workspace.getConfiguration("gnomon").get("path", "gnomon");
}

/** What starts and stops the server, one after the other. */
let lifecycle: Promise<void> = Promise.resolve();

function restart(): Promise<void> {
  lifecycle = lifecycle.then(stop).then(start);
  return lifecycle;
}

async function start(): Promise<void> {
  const server: ServerOptions = { command: program(), args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file", language: "c" }],
    initializationOptions: settings(),
  };
  const started = new LanguageClient("gnomon", "Gnomon", server, options);
  try {
    await started.start();
    client = started;
  } catch (error) {
    void vscode.window.showErrorMessage(
      `Gnomon does not start (${String(error)}). Install it, or set gnomon.path.`,
    );
  }
}

/** Makes the report page of a document, which is checked as the server checks it; gives its text. */
export async function page(document: vscode.TextDocument): Promise<string> {
  if (client === undefined) {
    throw new Error("Gnomon is not running. Install it, or set gnomon.path.");
  }
  const words = await client.sendRequest<string[]>("workspace/executeCommand", {
    command: "gnomon.commandLine", arguments: [client.code2ProtocolConverter.asUri(document.uri)],
  });
  const directory = await mkdtemp(join(tmpdir(), "gnomon-"));
  try {
    const complaint = await new Promise<string>((resolve) => {
      // Exit codes 1 and 3 are verdicts.
      const options = { cwd: dirname(document.fileName), maxBuffer: 1 << 28 };
      execFile(program(), [...words, "--html", directory], options, (_error, _output, messages) => resolve(messages));
    });
    const made = (await readdir(directory)).find((name) => name.endsWith(".html"));
    if (made === undefined) {
      throw new Error(complaint.trim() || "no page was written");
    }
    return await readFile(join(directory, made), "utf8");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function report(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || document.languageId !== "c") {
    void vscode.window.showInformationMessage("Open a C file first.");
    return;
  }
  await document.save();
  const panel = vscode.window.createWebviewPanel(
    "gnomon.report", "Gnomon report", vscode.ViewColumn.Beside, { enableScripts: true },
  );
  panel.webview.html = "<p>Checking …</p>";
  try {
    panel.webview.html = await page(document);
  } catch (error) {
    panel.webview.html = `<pre>${String(error).replace(/[&<]/g, (c) => (c === "&" ? "&amp;" : "&lt;"))}</pre>`;
  }
}

async function checkFile(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document !== undefined && client !== undefined) {
    await vscode.commands.executeCommand("gnomon.check", document.uri.toString());
  }
}

/** What the server says of a step of the counterexample. */
interface Step {
  step: number;
  of: number;
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
  events: string;
}

/** Goes so many steps on in the counterexample, and shows where that is; 0 leaves it. */
export async function step(by: number): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || client === undefined) {
    return;
  }
  const uri = editor.document.uri.toString();
  const found = await client.sendRequest<Step | null>("workspace/executeCommand", { command: "gnomon.step", arguments: [uri, by] });
  if (found === null) {
    return;
  }
  const { start, end } = found.range;
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  editor.selection = new vscode.Selection(range.start, range.start);
  editor.revealRange(range);
  vscode.window.setStatusBarMessage(`step ${found.step} of ${found.of}: ${found.events}`, 10_000);
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("gnomon.report", report),
    vscode.commands.registerCommand("gnomon.checkFile", checkFile),
    vscode.commands.registerCommand("gnomon.nextStep", () => step(1)),
    vscode.commands.registerCommand("gnomon.previousStep", () => step(-1)),
    vscode.commands.registerCommand("gnomon.endSteps", () => step(0)),
    vscode.commands.registerCommand("gnomon.restart", restart),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("gnomon.path")) {
        await restart();
      } else if (event.affectsConfiguration("gnomon")) {
        await client?.sendNotification("workspace/didChangeConfiguration", { settings: settings() });
      }
    }),
  );
  await restart();
}

async function stop(): Promise<void> {
  const stopped = client;
  client = undefined;
  try {
    await stopped?.stop();
  } catch {
    // A server that hangs does not say farewell; another one takes its place all the same.
  }
}

export function deactivate(): Promise<void> {
  lifecycle = lifecycle.then(stop);
  return lifecycle;
}
