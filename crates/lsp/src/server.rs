//! Documents, and what is done when something happens to them.
//!
//! One loop takes events, from the client and from checks that go on, one after the other; nothing in it
//! waits. A document that is opened or saved is read (which gives lenses and errors in the source), and its
//! `main` and the functions that were asked for before are checked; a change ends what goes on for it and takes
//! back what was found in the old text.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::io::{BufRead, Write};
use std::sync::mpsc::{Sender, channel};

use gnomon_ir::property::CheckKind;
use gnomon_report::model::Report;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types as lsp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::flags;
use crate::job::{Event, Function, Job, Problem};
use crate::processes::{Launcher, Process};
use crate::shown;
use crate::transport::{self, Incoming};

/// What the client can choose, by `initializationOptions` or `workspace/didChangeConfiguration`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// Options of the preprocessor beside those of `compile_commands.json`.
    pub flags: Vec<String>,
    /// Undefined behaviour that is an error too: `overflow`, `shift`, `leak` and so on.
    pub checks: Vec<CheckKind>,
    /// Seconds of processor time for a check.
    pub time: u64,
    /// MiB for a check.
    pub memory: u64,
    /// So many engines go on at once in a check.
    pub jobs: usize,
    /// So many checks go on at once.
    pub parallel: usize,
    /// Whether programs are checked when they are opened and saved.
    pub on_save: bool,
    /// Whether outcomes are kept, so that what did not change is not checked again.
    pub cache: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let (flags, checks) = (Vec::new(), Vec::new());
        Self {
            flags,
            checks,
            time: 60,
            memory: 4000,
            jobs: 1,
            parallel: 1,
            on_save: true,
            cache: true,
        }
    }
}

/// What happens.
enum Happening {
    Client(Message),
    Malformed(Value),
    ClientGone,
    Check(u64, Option<Event>),
}

#[derive(Default)]
struct Document {
    path: String,
    text: String,
    functions: Vec<Function>,
    problems: Vec<Problem>,
    /// By entry.
    reports: BTreeMap<String, Report>,
    /// The lines on a path to the error, by entry.
    projections: BTreeMap<String, Vec<(u32, u32)>>,
    failures: BTreeMap<String, String>,
    /// Functions that somebody had checked: they are checked again when the file is saved.
    chosen: BTreeSet<String>,
    /// Whether something is checked when the functions are known.
    then: bool,
    /// The step of the counterexample that somebody looks at.
    step: Option<usize>,
}

impl Document {
    fn shown(&self) -> shown::Document<'_> {
        shown::Document { path: &self.path, text: &self.text }
    }

    fn forget(&mut self) {
        self.problems.clear();
        self.reports.clear();
        self.projections.clear();
        self.failures.clear();
        self.step = None;
    }
}

/// A check that waits or goes on.
struct Check {
    uri: String,
    job: Job,
    process: Option<Process>,
    /// Who waits for an answer.
    asked: Option<RequestId>,
    answer: Option<Value>,
}

/// Serves a client until it says so, or is gone. Gives whether it said so in order.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write, launcher: Launcher) -> bool {
    let (sender, happenings) = channel();
    let reader = sender.clone();
    std::thread::spawn(move || {
        let mut input = input;
        while let Some(incoming) = transport::read(&mut input) {
            let happening = match incoming {
                Incoming::Message(message) => Happening::Client(message),
                Incoming::Malformed(answer) => Happening::Malformed(answer),
            };
            if reader.send(happening).is_err() {
                return;
            }
        }
        let _ = reader.send(Happening::ClientGone);
    });
    let mut server = Server {
        output,
        launcher,
        sender,
        settings: Settings::default(),
        documents: HashMap::new(),
        checks: BTreeMap::new(),
        waiting: VecDeque::new(),
        next: 0,
        state: State::Fresh,
        tells_progress: false,
        refreshes: false,
    };
    for happening in happenings {
        match happening {
            Happening::ClientGone => return false,
            Happening::Malformed(answer) => {
                let _ = transport::write_value(&mut server.output, &answer);
            }
            Happening::Check(number, event) => server.told(number, event),
            Happening::Client(Message::Request(request)) => server.request(request),
            Happening::Client(Message::Response(_)) => {}
            Happening::Client(Message::Notification(notification)) => {
                if notification.method == "exit" {
                    return server.state == State::ShutDown;
                }
                server.notification(notification);
            }
        }
        server.start_waiting();
    }
    false
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fresh,
    Initialized,
    ShutDown,
}

struct Server<W> {
    output: W,
    launcher: Launcher,
    sender: Sender<Happening>,
    settings: Settings,
    documents: HashMap<String, Document>,
    checks: BTreeMap<u64, Check>,
    waiting: VecDeque<u64>,
    next: u64,
    state: State,
    tells_progress: bool,
    refreshes: bool,
}

impl<W: Write> Server<W> {
    fn send(&mut self, message: impl Into<Message>) {
        // A client that is gone is noticed by the end of its messages.
        let _ = transport::write(&mut self.output, &message.into());
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params));
    }

    fn ask(&mut self, method: &str, params: Value) {
        self.next += 1;
        let id = RequestId::from(format!("gnomon-{}", self.next));
        self.send(Request::new(id, method.to_owned(), params));
    }

    fn refuse(&mut self, id: RequestId, code: ErrorCode, text: &str) {
        self.send(Response::new_err(id, code as i32, text.to_owned()));
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params, .. } = request;
        match (self.state, method.as_str()) {
            (State::Fresh, "initialize") => self.initialize(id, &params),
            (State::Fresh, _) => {
                self.refuse(id, ErrorCode::ServerNotInitialized, "initialize comes first");
            }
            (_, "shutdown") => {
                self.state = State::ShutDown;
                self.checks.clear();
                self.waiting.clear();
                self.send(Response::new_ok(id, Value::Null));
            }
            (State::ShutDown, _) => self.refuse(id, ErrorCode::InvalidRequest, "shut down"),
            (State::Initialized, "textDocument/codeLens") => {
                let answer = self.document(&params).map(|(uri, document)| {
                    let (functions, reports) = (&document.functions, &document.reports);
                    json!(shown::lenses(functions, reports, &document.shown(), &uri))
                });
                self.answer(id, answer);
            }
            (State::Initialized, "textDocument/hover") => {
                let line = params["position"]["line"].as_u64().unwrap_or(0) as u32 + 1;
                let answer = self.document(&params).map(|(_, document)| {
                    let (functions, reports) = (&document.functions, &document.reports);
                    json!(shown::hover(functions, reports, &document.shown(), line))
                });
                self.answer(id, answer);
            }
            (State::Initialized, "textDocument/inlayHint") => {
                let range = serde_json::from_value(params["range"].clone()).unwrap_or_default();
                let answer = self.document(&params).map(|(_, document)| {
                    let step = document.step;
                    json!(shown::hints(document.reports.values(), &document.shown(), range, step))
                });
                self.answer(id, answer);
            }
            (State::Initialized, "workspace/executeCommand") => self.command(id, &params),
            (State::Initialized, _) => {
                self.refuse(id, ErrorCode::MethodNotFound, &format!("there is no `{method}`"));
            }
        }
    }

    fn answer(&mut self, id: RequestId, answer: Option<Value>) {
        match answer {
            Some(value) => self.send(Response::new_ok(id, value)),
            None => self.refuse(id, ErrorCode::InvalidParams, "this document is not open"),
        }
    }

    fn document(&self, params: &Value) -> Option<(String, &Document)> {
        let uri = params["textDocument"]["uri"].as_str()?;
        Some((uri.to_owned(), self.documents.get(uri)?))
    }

    fn initialize(&mut self, id: RequestId, params: &Value) {
        self.state = State::Initialized;
        let can = &params["capabilities"];
        self.tells_progress = can["window"]["workDoneProgress"] == json!(true);
        self.refreshes = can["workspace"]["codeLens"]["refreshSupport"] == json!(true);
        self.configure(&params["initializationOptions"]);
        let sync = lsp::TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(lsp::TextDocumentSyncKind::FULL),
            save: Some(lsp::SaveOptions { include_text: Some(true) }.into()),
            ..lsp::TextDocumentSyncOptions::default()
        };
        let capabilities = json!({
            "positionEncoding": "utf-16",
            "textDocumentSync": sync,
            "codeLensProvider": { "resolveProvider": false },
            "hoverProvider": true,
            "inlayHintProvider": true,
            "executeCommandProvider": { "commands": ["gnomon.check", "gnomon.checkFunction", "gnomon.step",
                                                    "gnomon.commandLine"] },
        });
        let info = json!({ "name": "gnomon", "version": env!("CARGO_PKG_VERSION") });
        self.send(Response::new_ok(
            id,
            json!({ "capabilities": capabilities, "serverInfo": info }),
        ));
    }

    /// Settings that cannot be read leave the old ones, and are told.
    fn configure(&mut self, value: &Value) {
        let value = if value["gnomon"].is_object() { &value["gnomon"] } else { value };
        if !value.is_object() {
            return;
        }
        match serde_json::from_value(value.clone()) {
            Ok(settings) => self.settings = settings,
            Err(error) => {
                let message = format!("gnomon: settings: {error}");
                self.notify("window/showMessage", json!({ "type": 2, "message": message }));
            }
        }
    }

    fn notification(&mut self, notification: Notification) {
        let params = notification.params;
        if self.state != State::Initialized {
            return;
        }
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                let text = params["textDocument"]["text"].as_str().unwrap_or_default().to_owned();
                let Some(path) = shown::path_of(&uri) else { return };
                self.documents.insert(uri.clone(), Document { path, text, ..Document::default() });
                self.read(&uri, self.settings.on_save);
            }
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array();
                let text = changes.and_then(|all| all.last()?["text"].as_str());
                if let (Some(text), Some(document)) = (text, self.documents.get_mut(&uri)) {
                    document.text = text.to_owned();
                    document.forget();
                    self.publish(&uri);
                    self.read(&uri, false);
                }
            }
            "textDocument/didSave" => {
                if let (Some(text), Some(document)) =
                    (params["text"].as_str(), self.documents.get_mut(&uri))
                {
                    document.text = text.to_owned();
                }
                if self.documents.contains_key(&uri) {
                    self.read(&uri, self.settings.on_save);
                }
            }
            "textDocument/didClose" => {
                self.end_all_of(&uri);
                if let Some(mut document) = self.documents.remove(&uri) {
                    document.forget();
                    self.publish_of(&uri, &document);
                }
            }
            "workspace/didChangeConfiguration" => self.configure(&params["settings"]),
            "$/cancelRequest" => {
                let id = serde_json::from_value::<RequestId>(params["id"].clone()).ok();
                let number = self.checks.iter().find(|(_, c)| id.is_some() && c.asked == id);
                if let Some(number) = number.map(|(number, _)| *number) {
                    self.end(number);
                }
            }
            "window/workDoneProgress/cancel" => {
                let token = params["token"].as_str().and_then(|t| t.strip_prefix("gnomon-check-"));
                if let Some(number) = token.and_then(|number| number.parse().ok()) {
                    self.end(number);
                }
            }
            _ => {}
        }
    }

    fn command(&mut self, id: RequestId, params: &Value) {
        let arguments = &params["arguments"];
        if params["command"] == "gnomon.step" {
            let answer = self.step(arguments);
            self.answer(id, answer);
            self.refresh();
            return;
        }
        if params["command"] == "gnomon.commandLine" {
            let answer = self.command_line(arguments);
            self.answer(id, answer);
            return;
        }
        let entry = match params["command"].as_str() {
            Some("gnomon.check") => Some("main"),
            Some("gnomon.checkFunction") => arguments[1].as_str(),
            _ => None,
        };
        let uri = arguments[0].as_str().unwrap_or_default();
        match entry.filter(|_| self.documents.contains_key(uri)) {
            Some(entry) => {
                if let Some(document) = self.documents.get_mut(uri) {
                    document.chosen.insert(entry.to_owned());
                }
                self.check(uri, Some(entry.to_owned()), Some(id));
            }
            None => {
                self.refuse(id, ErrorCode::InvalidParams, "no such command, function or document")
            }
        }
    }

    /// The words behind `gnomon` that check a document (its file) as it is checked here: `main`, or the function
    /// that is named or was chosen last, where there is none.
    fn command_line(&self, arguments: &Value) -> Option<Value> {
        let document = self.documents.get(arguments[0].as_str()?)?;
        let has = |name: &str| document.functions.iter().any(|f| f.name == name);
        let chosen = || match has("main") {
            true => Some("main"),
            false => document.chosen.iter().map(String::as_str).find(|name| has(name)),
        };
        let entry = arguments[1].as_str().or_else(chosen).unwrap_or("main").to_owned();
        Some(json!(self.job(document, Some(entry)).command_line()))
    }

    /// Goes so many steps on in the counterexample, or back, or (with 0) leaves it. Gives where that is, and
    /// nothing where there is none.
    fn step(&mut self, arguments: &Value) -> Option<Value> {
        let document = self.documents.get_mut(arguments[0].as_str()?)?;
        let by = arguments[1].as_i64().unwrap_or(1);
        let steps = shown::steps(document.reports.values(), &document.shown());
        let last = steps.len().checked_sub(1);
        document.step = match (document.step, last) {
            (_, None) => None,
            _ if by == 0 => None,
            (None, Some(last)) => Some(if by > 0 { 0 } else { last }),
            (Some(now), Some(last)) => {
                Some(usize::try_from(now as i64 + by).unwrap_or(0).min(last))
            }
        };
        let answer = document.step.map(|now| {
            json!({ "step": now + 1, "of": steps.len(), "range": steps[now].0, "events": steps[now].1 })
        });
        Some(json!(answer))
    }

    /// Reads a document again, and then checks it if that is wanted.
    fn read(&mut self, uri: &str, then: bool) {
        self.end_all_of(uri);
        if let Some(document) = self.documents.get_mut(uri) {
            document.then = then;
        }
        self.check(uri, None, None);
    }

    fn check(&mut self, uri: &str, entry: Option<String>, asked: Option<RequestId>) {
        let Some(document) = self.documents.get(uri) else { return };
        let job = self.job(document, entry);
        self.next += 1;
        let is_short = job.entry.is_none();
        let check = Check { uri: uri.to_owned(), job, process: None, asked, answer: None };
        self.checks.insert(self.next, check);
        // Reading takes a moment and does not wait for others.
        if is_short { self.start(self.next) } else { self.waiting.push_back(self.next) }
    }

    fn job(&self, document: &Document, entry: Option<String>) -> Job {
        let mut flags = flags::of_build(document.path.as_ref());
        flags.extend(self.settings.flags.iter().cloned());
        Job {
            path: document.path.clone(),
            text: document.text.clone(),
            flags,
            entry,
            checks: self.settings.checks.clone(),
            time: self.settings.time,
            memory: self.settings.memory,
            jobs: self.settings.jobs.max(1),
            keeping: self.launcher.keeping.clone().filter(|_| self.settings.cache),
        }
    }

    fn start_waiting(&mut self) {
        let goes_on = |check: &Check| check.process.is_some() && check.job.entry.is_some();
        while self.checks.values().filter(|check| goes_on(check)).count()
            < self.settings.parallel.max(1)
        {
            let Some(number) = self.waiting.pop_front() else { return };
            self.start(number);
        }
    }

    fn start(&mut self, number: u64) {
        let sender = self.sender.clone();
        let Some(check) = self.checks.get_mut(&number) else { return };
        let tell = move |event| _ = sender.send(Happening::Check(number, event));
        match Process::start(&self.launcher, &check.job, tell) {
            Ok(process) => check.process = Some(process),
            Err(error) => {
                let failed = Event::Failed(format!("no process can be started: {error}"));
                let _ = self.sender.send(Happening::Check(number, Some(failed)));
                let _ = self.sender.send(Happening::Check(number, None));
            }
        }
        if let (Some(entry), true) = (check.job.entry.clone(), self.tells_progress) {
            let token = format!("gnomon-check-{number}");
            self.ask("window/workDoneProgress/create", json!({ "token": token }));
            let begin = json!({ "kind": "begin", "title": format!("gnomon: checking {entry}"),
                                "cancellable": true });
            self.notify("$/progress", json!({ "token": token, "value": begin }));
        }
    }

    /// A check tells something; what one tells that was ended is not looked at.
    fn told(&mut self, number: u64, event: Option<Event>) {
        let Some(check) = self.checks.get_mut(&number) else { return };
        let uri = check.uri.clone();
        let entry = check.job.entry.clone();
        let Some(event) = event else {
            self.finish(number);
            return;
        };
        let Some(document) = self.documents.get_mut(&uri) else { return };
        match event {
            Event::Functions(functions) => {
                document.functions = functions;
                document.problems.clear();
                if std::mem::take(&mut document.then) {
                    let has = |name: &str| document.functions.iter().any(|f| f.name == name);
                    let chosen = document.chosen.iter().map(String::as_str);
                    let others = chosen.filter(|name| *name != "main");
                    let entries = ["main"].into_iter().chain(others).filter(|name| has(name));
                    for entry in entries.map(str::to_owned).collect::<Vec<_>>() {
                        self.check(&uri, Some(entry), None);
                    }
                }
                if self.refreshes {
                    self.ask("workspace/codeLens/refresh", Value::Null);
                }
            }
            Event::Problems(problems) => document.problems = problems,
            Event::Progress(text) => {
                if self.tells_progress && entry.is_some() {
                    let value = json!({ "kind": "report", "message": text });
                    let token = format!("gnomon-check-{number}");
                    self.notify("$/progress", json!({ "token": token, "value": value }));
                }
                return;
            }
            Event::Report(report) => {
                let entry = entry.unwrap_or_default();
                let answer = json!({ "verdict": report.verdict, "entry": entry });
                document.failures.remove(&entry);
                document.projections.remove(&entry);
                document.reports.insert(entry, *report);
                check.answer = Some(answer.clone());
                // Who asked does not wait for what may follow.
                if let Some(id) = check.asked.take() {
                    self.send(Response::new_ok(id, answer));
                }
                self.refresh();
            }
            Event::Projection(lines) => {
                document.projections.insert(entry.unwrap_or_default(), lines);
            }
            Event::Failed(why) => {
                check.answer = Some(json!({ "failed": why }));
                document.failures.insert(entry.unwrap_or_default(), why);
            }
        }
        self.publish(&uri);
    }

    /// A check came to its end by itself.
    fn finish(&mut self, number: u64) {
        let Some(check) = self.checks.remove(&number) else { return };
        let answer = check.answer.clone();
        if answer.is_none() && check.job.entry.is_some() {
            let message = "gnomon: a check ended without an answer".to_owned();
            self.notify("window/logMessage", json!({ "type": 1, "message": message }));
        }
        self.over(number, check, answer);
    }

    /// Ends a check: nothing more comes of it.
    fn end(&mut self, number: u64) {
        let Some(check) = self.checks.remove(&number) else { return };
        self.waiting.retain(|waiting| *waiting != number);
        self.over(number, check, None);
    }

    fn over(&mut self, number: u64, check: Check, answer: Option<Value>) {
        let Check { process, asked, job, .. } = check;
        let was_started = process.is_some();
        drop(process);
        if was_started && job.entry.is_some() && self.tells_progress {
            let token = format!("gnomon-check-{number}");
            self.notify("$/progress", json!({ "token": token, "value": { "kind": "end" } }));
        }
        match (asked, answer) {
            (Some(id), Some(answer)) => self.send(Response::new_ok(id, answer)),
            (Some(id), None) => self.refuse(id, ErrorCode::RequestCanceled, "cancelled"),
            (None, _) => {}
        }
    }

    /// What is drawn into a document is asked for again.
    fn refresh(&mut self) {
        if self.refreshes {
            self.ask("workspace/codeLens/refresh", Value::Null);
            self.ask("workspace/inlayHint/refresh", Value::Null);
        }
    }

    fn end_all_of(&mut self, uri: &str) {
        let of_it = self.checks.iter().filter(|(_, check)| check.uri == uri);
        for number in of_it.map(|(number, _)| *number).collect::<Vec<_>>() {
            self.end(number);
        }
    }

    fn publish(&mut self, uri: &str) {
        if let Some(document) = self.documents.remove(uri) {
            self.publish_of(uri, &document);
            self.documents.insert(uri.to_owned(), document);
        }
    }

    fn publish_of(&mut self, uri: &str, document: &Document) {
        let mut diagnostics = shown::problems(&document.problems, &document.shown());
        for report in document.reports.values() {
            for diagnostic in shown::findings(report, &document.shown()) {
                if !diagnostics.contains(&diagnostic) {
                    diagnostics.push(diagnostic);
                }
            }
        }
        for lines in document.projections.values() {
            diagnostics.extend(shown::projected(lines, &document.shown()));
        }
        let failed = |(entry, why): (&String, &String)| Problem {
            file: document.path.clone(),
            line: document.functions.iter().find(|f| f.name == *entry).map_or(1, |f| f.line),
            column: 1,
            message: why.clone(),
        };
        let failures: Vec<Problem> = document.failures.iter().map(failed).collect();
        diagnostics.extend(shown::problems(&failures, &document.shown()));
        let params = json!({ "uri": uri, "diagnostics": diagnostics });
        self.notify("textDocument/publishDiagnostics", params);
    }
}
