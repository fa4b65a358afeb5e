//! The engines in this binary, and which of them a run is about.

use engine_api::Registration;

/// The engines that this repository has adapters for.
#[must_use]
pub fn built_in() -> Vec<Registration> {
    let mut engines = Vec::new();
    #[cfg(feature = "burrow")]
    engines.extend(adapter_burrow::engines());
    #[cfg(feature = "burrow-marmot")]
    engines.extend(adapter_burrow_marmot::engines());
    #[cfg(feature = "mdk")]
    engines.extend(adapter_mdk::engines());
    #[cfg(feature = "openmls")]
    engines.extend(adapter_openmls::engines());
    #[cfg(feature = "mls-rs")]
    engines.extend(adapter_mls_rs::engines());
    engines.extend(adapter_null::engines());
    engines
}

/// The same engines at other layers: with a store in memory and, with the feature `sqlite`, in a
/// file. `verify` runs them always, everything else if they are named.
#[must_use]
pub fn layered() -> Vec<Registration> {
    let mut engines = Vec::new();
    #[cfg(feature = "burrow")]
    engines.extend(adapter_burrow::layered());
    #[cfg(feature = "burrow")]
    engines.extend(adapter_burrow::on_request());
    #[cfg(feature = "burrow-marmot")]
    engines.extend(adapter_burrow_marmot::on_request());
    #[cfg(feature = "mdk")]
    engines.extend(adapter_mdk::layered());
    #[cfg(feature = "openmls")]
    engines.extend(adapter_openmls::layered());
    #[cfg(feature = "mls-rs")]
    engines.extend(adapter_mls_rs::layered());
    engines
}

/// The engines on post-quantum cipher suites, and those on 0x0001 that only they are held against. They
/// run if they are named, by their whole name or by their suite's, as in `0x004D`.
#[must_use]
pub fn post_quantum() -> Vec<Registration> {
    let mut engines = Vec::new();
    #[cfg(feature = "burrow")]
    engines.extend(adapter_burrow::post_quantum());
    #[cfg(feature = "openmls")]
    engines.extend(adapter_openmls::on_request());
    #[cfg(feature = "mls-rs")]
    engines.extend(adapter_mls_rs::on_request());
    engines
}

/// All engines that a run can be about, but those that lie.
#[must_use]
pub fn everything(engines: &[Registration]) -> Vec<Registration> {
    let mut everything = with_layers(engines);
    let known: Vec<_> = everything.iter().map(Registration::name).collect();
    everything.extend(post_quantum().into_iter().filter(|one| !known.contains(&one.name())));
    everything
}

/// These engines and those of the other layers.
#[must_use]
pub fn with_layers(engines: &[Registration]) -> Vec<Registration> {
    let missing = |layer: &Registration| engines.iter().all(|one| one.name() != layer.name());
    engines.iter().copied().chain(layered().into_iter().filter(missing)).collect()
}

/// Whether this is one of [`layered`].
#[must_use]
pub fn is_layered(engine: &Registration) -> bool {
    layered().iter().any(|one| one.name() == engine.name())
}

/// The engines that lie, each in one way: only there to be caught, and run only if named.
#[must_use]
pub fn broken() -> Vec<Registration> {
    adapter_null::broken()
}

/// That no two engines go by one name: whatever is kept by name would be mixed up.
///
/// # Errors
/// The name.
pub fn check_names(engines: &[Registration]) -> Result<(), String> {
    let mut names: Vec<_> = engines.iter().map(Registration::name).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("two engines are called {}", pair[0])),
        None => Ok(()),
    }
}

/// Those of `engines` that `wanted` names, all if it names none. `broken` engines, those of [`layered`]
/// and those of [`post_quantum`] take part only if named; the second by their whole name or by their
/// layer's, as in `sqlite`, the last by their whole name or by their suite's, as in `0x004D`.
///
/// # Errors
/// The first name that fits no engine.
pub fn select(engines: &[Registration], wanted: &[String]) -> Result<Vec<Registration>, String> {
    if wanted.is_empty() {
        return Ok(engines.to_vec());
    }
    let mut everything = everything(engines);
    everything.extend(broken());
    let on_suites: Vec<_> = post_quantum().iter().map(Registration::name).collect();
    let is_named = |engine: &Registration, name: &String| {
        if is_layered(engine) {
            let about = engine.describe();
            [about.name, about.layer.name()].contains(&name.as_str())
        } else if on_suites.contains(&engine.name()) {
            engine.name() == name || is_on(engine, name)
        } else {
            fits(engine.name(), name)
        }
    };
    if let Some(stranger) =
        wanted.iter().find(|name| !everything.iter().any(|engine| is_named(engine, name)))
    {
        let names: Vec<_> = everything.iter().map(Registration::name).collect();
        return Err(format!("no engine is called {stranger}; there are {}", names.join(", ")));
    }
    everything.retain(|engine| wanted.iter().any(|name| is_named(engine, name)));
    Ok(everything)
}

/// Whether this is the name of the engine's suite, beyond 0x0001.
fn is_on(engine: &Registration, name: &str) -> bool {
    let about = engine.describe();
    let suite = about.cipher_suites.first().filter(|suite| suite.0 != 1);
    suite.is_some_and(|suite| suite.to_string().eq_ignore_ascii_case(name))
}

/// `openmls` fits `openmls/rustcrypto` as well as `openmls`.
fn fits(name: &str, wanted: &str) -> bool {
    name.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Runs rayon on the calling thread alone, for the whole process.
///
/// OpenMLS and mls-rs hand work to rayon's global pool. With a pool of its own thread each such
/// hand-off would cost a wake-up that isn't the engine's; on the calling thread it costs nothing,
/// and the allocation counter, which counts one thread, sees everything.
///
/// Call it from a program's main thread before anything else uses rayon. From then on rayon works
/// on that thread only: a parallel call from any other thread waits for it, unless that thread was held
/// to itself ([`hold_this_thread`]). An engine with threads of its own needs a rayon pool of its own, and
/// an engine that is to use all cores as well. A pool that exists already is left as it is.
pub fn hold_to_one_thread() {
    if let Err(why) = one_thread().build_global() {
        eprintln!("engines may use several threads: {why}");
    }
}

/// Has rayon do on the calling thread what is begun on it, beside what other threads are at.
pub fn hold_this_thread() {
    // rayon keeps such a pool, small as it is, until the program ends.
    if let Err(why) = one_thread().build() {
        eprintln!("engines may wait for another thread: {why}");
    }
}

fn one_thread() -> rayon::ThreadPoolBuilder {
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread()
}
