//! The machine, as far as it lets itself be asked. What a system doesn't say is `None`.

use std::fs;
use std::path::Path;

use bench_results::format::{Host, Load};

/// What crypto libraries look for, as Linux calls it.
const FEATURES: &[&str] = &[
    "aes",
    "pclmulqdq",
    "vaes",
    "vpclmulqdq",
    "sha_ni",
    "avx",
    "avx2",
    "avx512f",
    "avx512ifma",
    "bmi2",
    "adx",
    "asimd",
    "pmull",
    "sha1",
    "sha2",
    "sha3",
    "sha512",
    "sve",
];

/// What is counted over a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    stolen: Option<(u64, u64)>,
    throttled: Option<u64>,
    load: Option<[f64; 3]>,
}

impl Before {
    pub(super) fn now() -> Self {
        Self { stolen: stolen(), throttled: throttled(), load: load() }
    }
}

/// Describes the machine at the end of a run.
pub(super) fn describe(before: Before, pinned: Option<usize>, clock: (u64, u64)) -> Host {
    let after = Before::now();
    let info = text("/proc/cpuinfo").unwrap_or_default();
    let flags = field(&info, "flags").or_else(|| field(&info, "Features")).unwrap_or_default();
    let has = |flag: &str| flags.split(' ').any(|word| word == flag);
    let processors = processors();
    let hypervisor = has("hypervisor").then(hypervisor);
    let machine = if hypervisor.is_some() { "vm" } else { "metal" };
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    Host {
        kind: format!("{os}-{arch}-{machine}-{processors}"),
        cpu: field(&info, "model name").unwrap_or_else(|| "unknown".into()),
        cpu_features: FEATURES.iter().filter(|f| has(f)).map(ToString::to_string).collect(),
        processors,
        memory_bytes: memory().unwrap_or_default(),
        system: system(),
        hypervisor,
        governors: (0..processors).map(|cpu| cpu_file(cpu, "cpufreq/scaling_governor")).collect(),
        turbo: turbo(),
        pinned: pinned.and_then(|processor| u32::try_from(processor).ok()),
        throttled: after.throttled.zip(before.throttled).map(|(n, was)| n.saturating_sub(was)),
        clock_source: text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        timer_step_ns: clock.0,
        timer_cost_ns: clock.1,
        before: Load { average: before.load },
        after: Load { average: after.load },
        steal: before.stolen.zip(after.stolen).map(|(was, is)| share(was, is)),
    }
}

fn processors() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX))
}

/// A file's text without the white space around it, if there is any.
fn text(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn cpu_file(cpu: u32, file: &str) -> Option<String> {
    text(format!("/sys/devices/system/cpu/cpu{cpu}/{file}"))
}

/// The value of the first line `name : value`.
fn field(info: &str, name: &str) -> Option<String> {
    info.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

/// Its maker, where the firmware says so.
fn hypervisor() -> String {
    let named = text("/sys/hypervisor/type").or_else(|| text("/sys/class/dmi/id/sys_vendor"));
    named.unwrap_or_else(|| "one that doesn't give its name".into())
}

fn memory() -> Option<u64> {
    let kilobytes = field(&text("/proc/meminfo")?, "MemTotal")?;
    kilobytes.split(' ').next()?.parse::<u64>().ok().map(|number| number * 1024)
}

fn system() -> String {
    let release = text("/etc/os-release").unwrap_or_default();
    let named = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let named = named.map_or(std::env::consts::OS, |name| name.trim_matches('"'));
    match text("/proc/sys/kernel/osrelease") {
        Some(kernel) => format!("{named}, kernel {kernel}"),
        None => named.to_owned(),
    }
}

fn turbo() -> Option<bool> {
    if let Some(off) = text("/sys/devices/system/cpu/intel_pstate/no_turbo") {
        return Some(off == "0");
    }
    text("/sys/devices/system/cpu/cpufreq/boost").map(|on| on == "1")
}

fn throttled() -> Option<u64> {
    let each = |cpu| cpu_file(cpu, "thermal_throttle/core_throttle_count")?.parse::<u64>().ok();
    (0..processors()).map(each).sum()
}

fn load() -> Option<[f64; 3]> {
    let text = text("/proc/loadavg")?;
    let mut numbers = text.split(' ').map_while(|word| word.parse().ok());
    Some([numbers.next()?, numbers.next()?, numbers.next()?])
}

/// Stolen time and all time, in the kernel's ticks.
fn stolen() -> Option<(u64, u64)> {
    let stat = text("/proc/stat")?;
    let ticks = stat.lines().next()?.strip_prefix("cpu")?.split_whitespace();
    let ticks: Vec<u64> = ticks.take(8).map_while(|word| word.parse().ok()).collect();
    ticks.get(7).map(|stolen| (*stolen, ticks.iter().sum()))
}

#[expect(clippy::cast_precision_loss, reason = "ticks of one run")]
fn share(was: (u64, u64), is: (u64, u64)) -> f64 {
    let (stolen, all) = (is.0.saturating_sub(was.0), is.1.saturating_sub(was.1));
    let share = stolen as f64 / all.max(1) as f64;
    (share.clamp(0.0, 1.0) * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_described_without_a_persons_name() {
        let host = describe(Before::now(), Some(1), (20, 30));
        assert!(host.processors > 0 && host.governors.len() == host.processors as usize);
        assert!(host.kind.starts_with(std::env::consts::OS), "{}", host.kind);
        assert_eq!((host.pinned, host.timer_step_ns, host.timer_cost_ns), (Some(1), 20, 30));
    }

    #[test]
    fn shares_are_of_what_passed() {
        assert!((share((10, 1000), (20, 1100)) - 0.1).abs() < 1e-9);
        assert!(share((10, 1000), (10, 1000)).abs() < 1e-9);
    }
}
