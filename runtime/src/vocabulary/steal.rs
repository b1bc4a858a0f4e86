//! The choice of a victim and of the number of tokens, as an idle node makes it.

/// Maximum number of tokens that a node shares with idle nodes at a time. It keeps its other tokens.
pub const MOST_SHARED: usize = 8;

/// The search of an idle node for a token, as a [`StealPolicy`] sees it.
pub struct Search<'a> {
    thief: usize,
    nodes: usize,
    tried: usize,
    draw: &'a mut dyn FnMut() -> u64,
}

impl<'a> Search<'a> {
    pub(crate) fn new(thief: usize, nodes: usize, tried: usize, draw: &'a mut dyn FnMut() -> u64) -> Self {
        Search { thief, nodes, tried, draw }
    }

    /// Returns the number of the idle node.
    pub fn thief(&self) -> usize {
        self.thief
    }

    /// Returns the number of nodes of the machine, at least 2.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Returns how many nodes the policy has named in this search. None of them had a token.
    pub fn tried(&self) -> usize {
        self.tried
    }

    /// Returns the node that is `distance` after the idle node, on a ring of all nodes.
    pub fn after(&self, distance: usize) -> usize {
        (self.thief + distance % self.nodes) % self.nodes
    }

    /// Returns a random number from the seed of the machine. On stepped machines equal seeds give equal
    /// numbers.
    pub fn draw(&mut self) -> u64 {
        (self.draw)()
    }

    /// Returns a random node other than the idle one.
    pub fn random(&mut self) -> usize {
        let distance = self.draw() % (self.nodes as u64 - 1);
        self.after(1 + distance as usize)
    }
}

impl std::fmt::Debug for Search<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Search { thief, nodes, tried, .. } = self;
        write!(f, "Search {{ thief: {thief}, nodes: {nodes}, tried: {tried} }}")
    }
}

/// Selects the victims of an idle node, and how many tokens it takes.
///
/// Each node has an object of its own. [`Policies::steal`](crate::policy::Policies::steal) gives a machine
/// the factory.
///
/// # Bounds
///
/// The policy says where to look first, not whether to look. After its last proposal the machine looks at all
/// other nodes, in their cyclic order from the node after the last proposal. If there was no proposal, it
/// begins at the node after the idle one. So no node stays idle while another one shares a token.
///
/// # Errors of the run
///
/// A proposal that is the idle node itself or no node ends the run with
/// [`Error::Policy`](crate::Error::Policy). So does a panic.
pub trait StealPolicy: Send {
    /// Returns the node to look at next, or `None` if the machine must look at the other nodes.
    ///
    /// The machine calls this until a node has a token. It calls it at most once for each other node; then it
    /// looks at the others itself. On a simulated machine a node that shares no token is passed over without
    /// a message. On ranks a rank that already has a request is passed over.
    fn next(&mut self, search: &mut Search<'_>) -> Option<usize>;

    /// Returns how many tokens to take from a node that shares `shared` tokens. The default is 1.
    ///
    /// The number is limited to 1 to `shared`. A node shares only its oldest tokens, at most
    /// [`MOST_SHARED`](crate::policy::MOST_SHARED). The tokens are taken one by one, and another idle node
    /// may take some of them meanwhile. On a simulated machine each is a message of its own, and the question
    /// is asked when the request arrives. On ranks a request brings one token, and this is not called.
    fn amount(&mut self, victim: usize, shared: usize) -> usize {
        let _ = (victim, shared);
        1
    }

    /// Notes that a node that shares tokens was found. The default ignores it.
    ///
    /// On real cores the tokens have been taken. On a simulated machine a request is sent now. On ranks this
    /// comes with the token.
    fn found(&mut self, victim: usize) {
        let _ = victim;
    }

    /// Notes that a node answered with this number of tokens. The default ignores it.
    ///
    /// The number is 0 if other nodes took the tokens first, on a simulated machine and on ranks.
    fn gave(&mut self, victim: usize, tokens: usize) {
        let _ = (victim, tokens);
    }
}

impl<P: StealPolicy + ?Sized> StealPolicy for Box<P> {
    fn next(&mut self, search: &mut Search<'_>) -> Option<usize> {
        (**self).next(search)
    }

    fn amount(&mut self, victim: usize, shared: usize) -> usize {
        (**self).amount(victim, shared)
    }

    fn found(&mut self, victim: usize) {
        (**self).found(victim);
    }

    fn gave(&mut self, victim: usize, tokens: usize) {
        (**self).gave(victim, tokens);
    }
}
