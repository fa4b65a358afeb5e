//! What engines are known to do differently.

/// A flow that an engine doesn't get through, for a reason.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The engine, or the library of it.
    pub engine: &'static str,
    /// The flow's name.
    pub flow: &'static str,
    /// What the failure says.
    pub shows: &'static str,
    /// Why that is so.
    pub why: &'static str,
}

/// All of them. One that doesn't show where its engine and its flow take part is a failure.
pub const KNOWN: &[Known] = &[Known {
    engine: "openmls",
    flow: "private extension",
    shows: "not listed in the required capabilties' extension types",
    why: "OpenMLS 0.8.3 wants each extension of the group context to be in required_capabilities, \
          whatever the members' leaves list; section 13.4 asks for the leaves only",
}];
