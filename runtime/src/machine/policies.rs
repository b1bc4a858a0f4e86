//! The policies that a program gives a machine, by name.

use std::fmt;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::Machine;
use crate::probe::costs::Costs;
use crate::probe::costs::model::{CostModel, NodeModel};
use crate::vocabulary::choice::{FiberPolicy, TokenPolicy};
use crate::vocabulary::custom::{Named, PolicyUse};
use crate::vocabulary::network::Network;
use crate::vocabulary::placement::{NamedPlacement, Placement};
use crate::vocabulary::steal::StealPolicy;

/// Policies of a program's own, each with a name. [`Machine::policies`] gives them to a machine.
///
/// A kind that is not set is built in: the machine's [`Policy`](crate::Policy), and on a simulated machine
/// the network and the costs of its [`Profile`](crate::simulated::Profile).
///
/// `Display` and the serialized form have the kinds that are set, with their names:
///
/// ```
/// use earth::StealOrder;
/// use earth::policy::Policies;
///
/// let policies = Policies::new().steal("mine", |_node| StealOrder::NextNode.policy());
/// assert_eq!(policies.to_string(), "steal=mine");
/// assert_eq!(serde_json::to_string(&policies)?, r#"{"steal":"mine"}"#);
/// assert_eq!(Policies::new().to_string(), "built in");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Policies {
    pub(super) fibers: Option<Named<dyn FiberPolicy>>,
    pub(super) tokens: Option<Named<dyn TokenPolicy>>,
    pub(super) steal: Option<Named<dyn StealPolicy>>,
    pub(super) placement: Option<NamedPlacement>,
    pub(super) network: Option<Named<dyn Network>>,
    pub(super) costs: Option<NamedCosts>,
}

/// A cost model with its name.
#[derive(Clone)]
pub(super) struct NamedCosts {
    pub(super) name: Arc<str>,
    pub(super) model: Arc<dyn CostModel>,
}

impl Policies {
    /// Returns no policies: all kinds are built in.
    pub fn new() -> Self {
        Policies::default()
    }

    /// Sets which enabled fiber or invoked function of a node is next. `make` receives the number of a node
    /// and returns its policy.
    #[must_use]
    pub fn fibers<P: FiberPolicy + 'static>(
        mut self,
        name: &str,
        make: impl Fn(usize) -> P + Send + Sync + 'static,
    ) -> Self {
        self.fibers = Some(Named::<dyn FiberPolicy>::new(name, move |node| Box::new(make(node))));
        self
    }

    /// Sets which of its tokens a node starts next. `make` receives the number of a node and returns its
    /// policy.
    #[must_use]
    pub fn tokens<P: TokenPolicy + 'static>(
        mut self,
        name: &str,
        make: impl Fn(usize) -> P + Send + Sync + 'static,
    ) -> Self {
        self.tokens = Some(Named::<dyn TokenPolicy>::new(name, move |node| Box::new(make(node))));
        self
    }

    /// Sets how idle nodes steal. `make` receives the number of a node and returns its policy.
    #[must_use]
    pub fn steal<P: StealPolicy + 'static>(
        mut self,
        name: &str,
        make: impl Fn(usize) -> P + Send + Sync + 'static,
    ) -> Self {
        self.steal = Some(Named::<dyn StealPolicy>::new(name, move |node| Box::new(make(node))));
        self
    }

    /// Sets which worker steps each unit, on threads and on the stepper. Other machines ignore it.
    #[must_use]
    pub fn placement(mut self, name: &str, placement: impl Placement + 'static) -> Self {
        self.placement = Some(NamedPlacement { name: name.into(), placement: Arc::new(placement) });
        self
    }

    /// Sets the network of a simulated machine. Other machines ignore it. `make` receives the number of nodes
    /// and returns the network of one run, which carries no message yet.
    #[must_use]
    pub fn network<P: Network + 'static>(
        mut self,
        name: &str,
        make: impl Fn(usize) -> P + Send + Sync + 'static,
    ) -> Self {
        self.network = Some(Named::<dyn Network>::new(name, move |nodes| Box::new(make(nodes))));
        self
    }

    /// Sets the costs of a machine that charges for them: a simulated machine, and for
    /// [work](crate::Eu::work) also a stepper. Other machines ignore it.
    #[must_use]
    pub fn costs(mut self, name: &str, model: impl CostModel + 'static) -> Self {
        self.costs = Some(NamedCosts { name: name.into(), model: Arc::new(model) });
        self
    }

    /// Returns the kinds that are set, such as `steal`, each with the name of its policy.
    pub fn names(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Policies { fibers, tokens, steal, placement, network, costs } = self;
        [
            ("fibers", fibers.as_ref().map(|named| &*named.name)),
            ("tokens", tokens.as_ref().map(|named| &*named.name)),
            ("steal", steal.as_ref().map(|named| &*named.name)),
            ("placement", placement.as_ref().map(|named| &*named.name)),
            ("network", network.as_ref().map(|named| &*named.name)),
            ("costs", costs.as_ref().map(|named| &*named.name)),
        ]
        .into_iter()
        .filter_map(|(kind, name)| Some((kind, name?)))
    }
}

impl Policies {
    /// Returns the costs of `node`, whose usual costs are `usual`.
    pub(super) fn costs_of(&self, node: usize, usual: &Arc<Costs>) -> Arc<Costs> {
        let Some(NamedCosts { name, model }) = &self.costs else { return Arc::clone(usual) };
        let user = PolicyUse { name: Arc::clone(name), node };
        Arc::new(usual.with(NodeModel { user, model: Arc::clone(model) }))
    }
}

impl fmt::Display for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names().map(|(kind, name)| format!("{kind}={name}")).collect();
        f.write_str(if names.is_empty() { "built in" } else { "" })?;
        f.write_str(&names.join(","))
    }
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Policies({self})")
    }
}

impl Serialize for Policies {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.names().try_for_each(|(kind, name)| map.serialize_entry(kind, name))?;
        map.end()
    }
}

impl Machine {
    /// Sets policies of the program's own. They replace the kinds that the machine's
    /// [`policy`](Machine::policy) or its profile selects. Default: none. On ranks every rank sets the same.
    #[must_use]
    pub fn policies(self, policies: Policies) -> Self {
        self.set(|settings| settings.policies = policies)
    }
}
