// As much of Visual Studio Code as the extension and the language client use, in node: documents that are opened,
// changed and saved, commands, providers, diagnostics, panels. What neither of them uses is not there.

const { readFileSync, writeFileSync } = require("node:fs");
const { fileURLToPath, pathToFileURL } = require("node:url");

class Disposable {
  constructor(dispose) { this.dispose = dispose ?? (() => {}); }
  static from(...all) { return new Disposable(() => all.forEach((one) => one.dispose())); }
}

class EventEmitter {
  #listeners = new Set();
  event = (listener, self) => {
    const bound = self === undefined ? listener : listener.bind(self);
    this.#listeners.add(bound);
    return new Disposable(() => this.#listeners.delete(bound));
  };
  fire(event) { for (const listener of [...this.#listeners]) listener(event); }
  dispose() { this.#listeners.clear(); }
}

class CancellationTokenSource {
  #emitter = new EventEmitter();
  token = { isCancellationRequested: false, onCancellationRequested: this.#emitter.event };
  cancel() { this.token.isCancellationRequested = true; this.#emitter.fire(); }
  dispose() {}
}

class Uri {
  constructor(text) { this.text = text; }
  static parse(text) { return new Uri(text); }
  static file(path) { return new Uri(pathToFileURL(path).toString()); }
  get scheme() { return this.text.split(":")[0]; }
  get path() { return decodeURIComponent(new URL(this.text).pathname); }
  get fsPath() { return fileURLToPath(this.text); }
  toString() { return this.text; }
}

class Position {
  constructor(line, character) { this.line = line; this.character = character; }
}
class Range {
  constructor(...ends) {
    const [start, end] = ends.length === 4
      ? [new Position(ends[0], ends[1]), new Position(ends[2], ends[3])]
      : ends;
    this.start = start;
    this.end = end;
  }
}
class Selection extends Range {
  constructor(anchor, active) { super(anchor, active); this.anchor = anchor; this.active = active; }
}
class Location { constructor(uri, range) { this.uri = uri; this.range = range; } }
class Diagnostic {
  constructor(range, message, severity) { Object.assign(this, { range, message, severity }); }
}
class DiagnosticRelatedInformation {
  constructor(location, message) { Object.assign(this, { location, message }); }
}
class MarkdownString {
  constructor(value = "") { this.value = value; }
  appendMarkdown(value) { this.value += value; return this; }
  appendCodeblock(value) { this.value += value; return this; }
}
class Hover { constructor(contents, range) { this.contents = [contents].flat(); this.range = range; } }
class CodeLens { constructor(range, command) { this.range = range; this.command = command; } }
class InlayHint {
  constructor(position, label, kind) { Object.assign(this, { position, label, kind }); }
}
class CancellationError extends Error {}

/** An editor with these settings. */
function editor(settings) {
  const events = new Proxy({}, { get: (all, name) => (all[name] ??= new EventEmitter()) });
  const commands = new Map();
  const providers = { hover: [], lens: [], hint: [] };
  const seen = { errors: [], information: [], status: [], panels: [], progress: [] };
  const collections = [];
  const documents = [];

  class Document {
    languageId = "c";
    version = 1;
    isClosed = false;
    constructor(file) {
      this.fileName = file;
      this.uri = Uri.file(file);
      this.text = readFileSync(file, "utf8");
    }
    getText() { return this.text; }
    async save() {
      writeFileSync(this.fileName, this.text);
      events.saved.fire(this);
      return true;
    }
  }

  const watched = (list, provider) => {
    list.push(provider);
    return new Disposable(() => list.splice(list.indexOf(provider), 1));
  };
  const workspace = {
    textDocuments: documents,
    notebookDocuments: [],
    workspaceFolders: undefined,
    getConfiguration: () => ({ get: (name, otherwise) => settings[name] ?? otherwise }),
    getWorkspaceFolder: () => undefined,
    onDidChangeConfiguration: events.configured.event,
    onDidOpenTextDocument: events.opened.event,
    onDidChangeTextDocument: events.changed.event,
    onDidSaveTextDocument: events.saved.event,
    onDidCloseTextDocument: events.closed.event,
    onDidChangeWorkspaceFolders: events.folders.event,
    onDidCreateFiles: events.created.event,
    onDidDeleteFiles: events.deleted.event,
    onDidRenameFiles: events.renamed.event,
    onWillSaveTextDocument: events.willSave.event,
    onWillCreateFiles: events.willCreate.event,
    onWillDeleteFiles: events.willDelete.event,
    onWillRenameFiles: events.willRename.event,
    onDidOpenNotebookDocument: events.notebook.event,
    onDidChangeNotebookDocument: events.notebook.event,
    onDidSaveNotebookDocument: events.notebook.event,
    onDidCloseNotebookDocument: events.notebook.event,
  };
  const channel = () => ({
    append() {}, appendLine() {}, replace() {}, clear() {}, show() {}, hide() {}, dispose() {}, trace() {}, info() {},
    warn() {}, error() {}, debug() {},
  });
  const window = {
    activeTextEditor: undefined,
    visibleTextEditors: [],
    tabGroups: { all: [], onDidChangeTabs: events.tabs.event, onDidChangeTabGroups: events.tabs.event },
    onDidChangeActiveTextEditor: events.active.event,
    onDidChangeVisibleTextEditors: events.visible.event,
    createOutputChannel: channel,
    showErrorMessage: async (message) => void seen.errors.push(message),
    showWarningMessage: async (message) => void seen.errors.push(message),
    showInformationMessage: async (message) => void seen.information.push(message),
    setStatusBarMessage: (message) => { seen.status.push(message); return new Disposable(); },
    withProgress: (options, work) => {
      const source = new CancellationTokenSource();
      const progress = { title: options.title, cancel: () => source.cancel(), over: false };
      seen.progress.push(progress);
      return Promise.resolve(work({ report() {} }, source.token)).finally(() => (progress.over = true));
    },
    createWebviewPanel: (kind, title, column, options) => {
      const panel = { kind, title, column, options, webview: { html: "" } };
      seen.panels.push(panel);
      return panel;
    },
  };
  const languages = {
    match: (selector, document) =>
      [selector].flat().some((filter) => filter.language === document.languageId && filter.scheme === document.uri.scheme) ? 10 : 0,
    createDiagnosticCollection: () => {
      const kept = new Map();
      const collection = {
        set: (uri, list) => kept.set(uri.toString(), list),
        delete: (uri) => kept.delete(uri.toString()),
        clear: () => kept.clear(),
        dispose: () => { kept.clear(); collections.splice(collections.indexOf(kept), 1); },
      };
      collections.push(kept);
      return collection;
    },
    registerHoverProvider: (_, provider) => watched(providers.hover, provider),
    registerCodeLensProvider: (_, provider) => watched(providers.lens, provider),
    registerInlayHintsProvider: (_, provider) => watched(providers.hint, provider),
  };
  const api = {
    version: "1.82.0",
    env: { appName: "test", language: "en", openExternal: async () => true },
    workspace, window, languages,
    commands: {
      registerCommand: (name, run, self) => {
        if (commands.has(name)) throw new Error(`command '${name}' already exists`);
        commands.set(name, run.bind(self));
        return new Disposable(() => commands.delete(name));
      },
      executeCommand: async (name, ...words) => {
        if (!commands.has(name)) throw new Error(`command '${name}' not found`);
        return commands.get(name)(...words);
      },
    },
    extensions: { getExtension: () => undefined, all: [] },
    Disposable, EventEmitter, CancellationTokenSource, CancellationError, Uri, Position, Range, Selection, Location,
    Diagnostic, DiagnosticRelatedInformation, MarkdownString, Hover, CodeLens, InlayHint,
    CodeAction: class {}, CompletionItem: class {}, SymbolInformation: class {}, DocumentLink: class {},
    CallHierarchyItem: class {}, TypeHierarchyItem: class {}, TabInputText: class {}, TabInputTextDiff: class {},
    TabInputCustom: class {}, TabInputNotebook: class {},
    CodeActionKind: new Proxy({}, { get: (_, name) => ({ value: String(name), append: () => ({}) }) }),
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    DiagnosticTag: { Unnecessary: 1, Deprecated: 2 },
    ProgressLocation: { SourceControl: 1, Window: 10, Notification: 15 },
    ViewColumn: { Active: -1, Beside: -2 },
    TextDocumentSaveReason: { Manual: 1, AfterDelay: 2, FocusOut: 3 },
    InlayHintKind: { Type: 1, Parameter: 2 },
  };

  return {
    api, seen, settings,
    /** The names of all commands there are. */
    commands: () => [...commands.keys()],
    open(file) {
      const document = new Document(file);
      documents.push(document);
      const shown = { document, selection: undefined, revealed: [], revealRange: (range) => shown.revealed.push(range) };
      window.activeTextEditor = shown;
      events.opened.fire(document);
      return shown;
    },
    change(document, text) {
      document.text = text;
      document.version += 1;
      events.changed.fire({ document, contentChanges: [{ text }], reason: undefined });
    },
    configure(name, value) {
      settings[name] = value;
      events.configured.fire({ affectsConfiguration: (section) => `gnomon.${name}`.startsWith(section) });
    },
    diagnostics: (document) => collections.flatMap((kept) => kept.get(document.uri.toString()) ?? []),
    lenses: (document) => ask(providers.lens, "provideCodeLenses", document),
    hover: (document, line) => ask(providers.hover, "provideHover", document, new Position(line, 4)),
    hints: (document) => ask(providers.hint, "provideInlayHints", document, new Range(0, 0, 999, 0)),
  };
}

async function ask(providers, method, ...words) {
  const token = new CancellationTokenSource().token;
  const answers = await Promise.all(providers.map((provider) => provider[method](...words, token)));
  return answers.flat().filter((answer) => answer !== null && answer !== undefined);
}

/** Waits until `found` gives something, which is given. */
async function until(what, found, patience = 60_000) {
  const end = Date.now() + patience;
  for (;;) {
    const answer = await found();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`not within ${patience} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

module.exports = { editor, until };
