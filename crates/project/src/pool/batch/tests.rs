//! The pool with scripts in the place of `sbatch`, `squeue`, `scancel` and `hq`, which do at once what they are told.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// A worker: for its task it writes the record that stands ready in the cache, and the marks.
const WORKER: &str = r#"#!/bin/sh
for word; do case $word in --batch=*) batch=${word#--batch=};; --task=*) task=${word#--task=};; esac; done
task=${task:-$HQ_TASK_ID}
line=$(sed -n "$((task + 1))p" "$batch/tasks")
key=$(echo "$line" | sed 's/.*--key=\([^ ]*\).*/\1/')
: > "$batch/begun/$task"
here=$(dirname "$0")
case $(cat "$here/mode" 2>/dev/null) in
crash) echo "out of luck" >&2; exit 3;;
empty) : > "$batch/done/$task"; exit 0;;
esac
two=$(echo "$key" | cut -c1-2); rest=$(echo "$key" | cut -c3-)
mkdir -p "$here/cache/$two"
printf '{"key":"%s","verdict":"TRUE","findings":[],"tried":1,"seconds":0.01,"memory":1}' "$key" > "$here/cache/$two/$rest.json"
: > "$batch/done/$task"
"#;

/// Takes a job array and executes it, but for the modes in which nothing happens.
const SBATCH: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "sbatch $*" >> "$here/calls"
cat > "$here/script"
case $(cat "$here/mode" 2>/dev/null) in refuse) echo "Unable to contact slurm controller" >&2; exit 1;; esac
for word; do case $word in --array=0-*) last=${word#--array=0-};; --error=*) errors=${word#--error=};; esac; done
[ "$(cat "$here/mode" 2>/dev/null)" = barren ] || [ "$(cat "$here/mode" 2>/dev/null)" = silent ] ||
for task in $(seq 0 "$last"); do SLURM_ARRAY_TASK_ID=$task sh "$here/script" 2> "$(dirname "$errors")/$task"; done
echo "7;cluster"
"#;
const SQUEUE: &str = r#"#!/bin/sh
case $(cat "$(dirname "$0")/mode" 2>/dev/null) in silent) echo "Unable to contact slurm controller" >&2; exit 1;; esac
"#;
const NOTED: &str = "#!/bin/sh\necho \"$(basename \"$0\") $*\" >> \"$(dirname \"$0\")/calls\"\n";

/// Takes a job file, whose tasks are words of TOML, and executes it in the background.
const HQ: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "hq $*" >> "$here/calls"
case "$*" in
*submit-file*)
    for file; do :; done
    cp "$file" "$here/job.toml"
    grep '^command' "$file" | sed -e 's/^command = \[//' -e 's/\]$//' -e 's/", "/" "/g' |
        while read -r line; do eval "set -- $line"; "$@" 2>/dev/null; done
    echo 12;;
*"job list"*) [ "$(cat "$here/mode" 2>/dev/null)" = running ] && echo "12 RUNNING"; echo "13 RUNNING";;
esac
"#;

struct Cluster {
    directory: tempfile::TempDir,
}

impl Cluster {
    fn new(mode: &str) -> Self {
        let cluster = Self { directory: tempfile::tempdir().expect("a directory") };
        let here = cluster.directory.path();
        std::fs::create_dir(here.join("cache")).expect("a cache");
        for (name, text) in [
            ("worker", WORKER),
            ("sbatch", SBATCH),
            ("squeue", SQUEUE),
            ("scancel", NOTED),
            ("hq", HQ),
        ] {
            std::fs::write(here.join(name), text).expect("a script");
            let rights = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(here.join(name), rights).expect("rights");
        }
        cluster.mode(mode);
        cluster
    }

    fn mode(&self, mode: &str) {
        std::fs::write(self.directory.path().join("mode"), mode).expect("a mode");
    }

    fn calls(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("calls")).unwrap_or_default()
    }

    fn pool(&self, engine: Engine) -> Batches {
        let here = self.directory.path();
        let worker = Worker { program: here.join("worker"), arguments: Vec::new() };
        let soon = Duration::from_millis(20);
        let patience = Patience {
            gathering: soon,
            look: soon,
            ask: soon,
            file: Duration::from_millis(100),
            first: Duration::from_millis(300),
            again: Duration::from_millis(300),
        };
        let mut pool = Batches::new(engine, worker, &here.join("cache"), patience).expect("a pool");
        pool.connection.commands = Some(here.to_owned());
        pool
    }
}

fn job(number: usize) -> Job {
    Job { number, key: format!("abcd{number:04}"), seconds: 1, memory: 500, is_last: false }
}

/// What becomes of some jobs, in order, until all have ended; or why there is an end to it.
fn ended(pool: &mut Batches, jobs: usize) -> Result<Vec<Ended>, String> {
    for number in 0..jobs {
        pool.start(job(number)).expect("it is taken");
    }
    let mut all = BTreeMap::new();
    let begin = Instant::now();
    while all.len() < jobs {
        assert!(begin.elapsed() < Duration::from_secs(60), "{all:?}");
        let soon = Duration::from_millis(50);
        for (number, ended) in pool.ended(soon).map_err(|error| error.to_string())? {
            all.insert(number, ended);
        }
    }
    Ok(all.into_values().collect())
}

#[test]
fn slurm_gets_an_array() {
    let cluster = Cluster::new("");
    let mut pool = cluster.pool(Engine::Slurm(vec!["--partition=long".into()]));
    let all = ended(&mut pool, 3).expect("they end");
    assert!(all.iter().all(|end| matches!(end, Ended::Done(_))), "{all:?}");
    let calls = cluster.calls();
    assert!(calls.contains("--array=0-2") && calls.contains("--partition=long"), "{calls}");
}

#[test]
fn hq_gets_a_job_file_on_the_server_that_is_named() {
    let cluster = Cluster::new("");
    let server = Some(PathBuf::from("/servers/one"));
    let mut pool = cluster.pool(Engine::Hq { server, more: Vec::new() });
    let all = ended(&mut pool, 3).expect("they end");
    assert!(all.iter().all(|end| matches!(end, Ended::Done(_))), "{all:?}");
    let file = std::fs::read_to_string(cluster.directory.path().join("job.toml")).expect("a file");
    let file: toml::Value = toml::from_str(&file).expect("TOML");
    let tasks = file["task"].as_array().expect("tasks");
    assert_eq!(tasks.len(), 3);
    assert_eq!(tasks[2]["command"].as_array().expect("words").last(), Some(&"--task=2".into()));
    assert!(tasks[2]["stderr"].as_str().expect("a path").ends_with("errors/2"), "{file:?}");
    assert!(cluster.calls().contains("hq --server-dir=/servers/one"), "{}", cluster.calls());
}

#[test]
fn what_is_not_over_is_called_back() {
    let cluster = Cluster::new("running");
    std::fs::write(cluster.directory.path().join("worker"), "#!/bin/sh\n")
        .expect("it does nothing");
    let mut pool = cluster.pool(Engine::Hq { server: None, more: Vec::new() });
    pool.start(job(0)).expect("it is taken");
    assert!(pool.ended(Duration::from_millis(500)).expect("it is there").is_empty());
    pool.stop();
    assert!(cluster.calls().contains("job cancel 12"), "{}", cluster.calls());
    cluster.mode("silent");
    let mut pool = cluster.pool(Engine::Slurm(Vec::new()));
    pool.start(job(0)).expect("it is taken");
    assert!(pool.ended(Duration::from_millis(200)).expect("it is there").is_empty());
    pool.stop();
    assert!(cluster.calls().contains("scancel 7"), "{}", cluster.calls());
}

#[test]
fn a_controller_that_falls_silent_is_told_of_and_waited_for() {
    for mode in ["silent", "refuse"] {
        let cluster = Cluster::new(mode);
        let mut pool = cluster.pool(Engine::Slurm(Vec::new()));
        let problem = ended(&mut pool, 2).expect_err("nobody answers");
        assert!(problem.contains("Unable to contact slurm controller"), "{problem}");
        assert!(pool.trouble().is_some_and(|trouble| trouble.contains("does not answer")));
        // It comes back.
        let mut pool = cluster.pool(Engine::Slurm(Vec::new()));
        pool.start(job(0)).expect("it is taken");
        assert!(pool.ended(Duration::from_millis(100)).expect("it waits").is_empty());
        cluster.mode("");
        let begin = Instant::now();
        let end = loop {
            let some = pool.ended(Duration::from_millis(50)).expect("it goes on");
            if let Some((_, end)) = some.into_iter().next() {
                break end;
            }
            assert!(begin.elapsed() < Duration::from_secs(30));
        };
        // What was refused is done, and what was taken and forgotten is given out again.
        assert!(matches!((mode, &end), ("refuse", Ended::Done(_)) | ("silent", Ended::Lost(_))));
    }
}

#[test]
fn a_cluster_that_does_nothing_is_no_use() {
    let cluster = Cluster::new("barren");
    let mut pool = cluster.pool(Engine::Slurm(Vec::new()));
    for _ in 0..BARREN - 1 {
        let all = ended(&mut pool, 1).expect("it is lost");
        assert!(matches!(all[..], [Ended::Lost(_)]), "{all:?}");
    }
    // A batch that brings something in between: it was only bad luck.
    cluster.mode("");
    assert!(matches!(ended(&mut pool, 1).expect("it ends")[..], [Ended::Done(_)]));
    cluster.mode("barren");
    for _ in 0..BARREN - 1 {
        // Other keys: the first one is known now.
        pool.start(job(9)).expect("it is taken");
        while pool.ended(Duration::from_millis(50)).expect("it is lost").is_empty() {}
    }
    pool.start(job(9)).expect("it is taken");
    let problem = loop {
        if let Err(problem) = pool.ended(Duration::from_millis(50)) {
            break problem.to_string();
        }
    };
    assert!(problem.contains("without doing anything"), "{problem}");
}

#[test]
fn what_a_worker_says_last_is_told() {
    let cluster = Cluster::new("crash");
    let mut pool = cluster.pool(Engine::Slurm(Vec::new()));
    let all = ended(&mut pool, 1).expect("they end");
    assert!(matches!(&all[..], [Ended::Failed(why)] if why == "out of luck"), "{all:?}");
}

#[test]
fn workers_that_see_another_cache_are_no_use() {
    let cluster = Cluster::new("empty");
    let mut pool = cluster.pool(Engine::Slurm(Vec::new()));
    let all = ended(&mut pool, 2).expect("they end");
    assert!(all.iter().all(|end| matches!(end, Ended::Failed(_))), "{all:?}");
    let problem = ended(&mut pool, EMPTY as usize).expect_err("no results");
    assert!(problem.contains("the same directory"), "{problem}");
}

#[test]
fn a_result_of_an_attempt_with_less_memory_is_not_that_of_a_job() {
    let cluster = Cluster::new("empty");
    let mut pool = cluster.pool(Engine::Slurm(Vec::new()));
    let open = |lacked: u64| {
        let text = format!(
            r#"{{"key": "{}", "verdict": "UNKNOWN", "limited": true, "findings": [], "tried": 1,
                 "lacked": {lacked}, "seconds": 0.1, "memory": 1}}"#,
            job(0).key
        );
        serde_json::from_str(&text).expect("a record")
    };
    pool.store.put(&open(499)).expect("written");
    assert!(matches!(ended(&mut pool, 1).expect("it ends")[..], [Ended::Failed(_)]));
    pool.store.put(&open(500)).expect("written");
    assert!(matches!(ended(&mut pool, 1).expect("it ends")[..], [Ended::Done(_)]));
}
