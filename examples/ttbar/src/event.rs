//! Synthetic events: pp → t t̄ H with two leptons, as a detector without errors would see them.

use crate::elementary::{sinh, turn};
use crate::rng::Stream;
use crate::vector::{FourVector, Particle};

/// Mass of the top quark.
pub const TOP_MASS: f64 = 172.5;
/// Mass of the W boson.
pub const W_MASS: f64 = 80.4;
/// Mass of the Higgs boson.
pub const HIGGS_MASS: f64 = 125.0;
/// Mass of a jet from a b quark.
pub const B_MASS: f64 = 4.8;
/// Masses of the leptons that are seen: electron and muon.
pub const LEPTON_MASSES: [f64; 2] = [0.000_511, 0.105_66];

/// Events of the sample that the thesis measured.
pub const GENERATED: usize = 5738;
/// How many of them pass the cuts.
pub const PASSED: usize = 1867;

/// Typical momentum of tops and Higgs across the beams, half its mean.
const TRANSVERSE_SCALE: f64 = 50.0;
/// Spread of rapidity, how far forward particles go.
const RAPIDITY_SPREAD: f64 = 1.0;
/// Chances of at least one and of two extra jets: 25 combinations an event in the mean.
const EXTRA_JETS: [f64; 2] = [0.20, 0.03];
/// A jet is seen above this; the mean of an extra jet's pT above it is the same.
const JET_THRESHOLD: f64 = 25.0;
/// A lepton is seen above this.
const LEPTON_THRESHOLD: f64 = 20.0;

/// One collision, as seen, and its truth.
#[derive(Debug, Clone)]
pub struct Event {
    /// Place in the sample, the key of its random numbers.
    pub number: u64,
    /// Positive and negative lepton.
    pub leptons: [Particle; 2],
    /// b, b̄, the Higgs's two, and 0 to 2 others. Nothing but the closure test relies on the order.
    pub jets: Vec<Particle>,
    /// Momentum across the beams that nobody saw.
    pub missing: [f64; 2],
    /// True neutrino and antineutrino.
    pub neutrinos: [FourVector; 2],
}

impl Event {
    /// The event of this number: always the same.
    pub fn generate(number: u64) -> Self {
        let random = &mut Stream::of(number, u64::MAX, u64::MAX);
        let extra = extra_jets(random);
        let top = produced(random, TOP_MASS);
        let higgs = produced(random, HIGGS_MASS);
        let others = extra.iter().fold(top + higgs, |sum, jet| sum + jet.vector);
        // Beams bring no momentum across: what is left recoils.
        let antitop = forward(-others.x, -others.y, TOP_MASS, random);
        let (b, positive, neutrino) = top_decay(random, &top);
        let (antib, negative, antineutrino) = top_decay(random, &antitop);
        let [first, second] = decay(random, &higgs, [B_MASS, B_MASS]);
        let higgs_jets = [first, second].map(|vector| Particle { vector, mass: B_MASS });
        Self {
            number,
            leptons: [positive, negative],
            jets: [b, antib].into_iter().chain(higgs_jets).chain(extra).collect(),
            missing: [neutrino.x + antineutrino.x, neutrino.y + antineutrino.y],
            neutrinos: [neutrino, antineutrino],
        }
    }

    /// What the cut is made on: the softest lepton or jet, in thresholds.
    pub fn discriminant(&self) -> f64 {
        let leptons = self.leptons.iter().map(|lepton| lepton.vector.transverse() / LEPTON_THRESHOLD);
        let jets = self.jets.iter().map(|jet| jet.vector.transverse() / JET_THRESHOLD);
        leptons.chain(jets).fold(f64::INFINITY, f64::min)
    }
}

/// The `passed` of `generated` events whose discriminants are largest, in the order of their numbers.
pub fn sample(generated: usize, passed: usize) -> Vec<Event> {
    let events: Vec<Event> = (0..generated as u64).map(Event::generate).collect();
    let mut discriminants: Vec<f64> = events.iter().map(Event::discriminant).collect();
    discriminants.sort_unstable_by(|a, b| b.total_cmp(a));
    let cut = passed.checked_sub(1).map_or(f64::INFINITY, |last| discriminants[last]);
    events.into_iter().filter(|event| event.discriminant() >= cut).collect()
}

fn extra_jets(random: &mut Stream) -> Vec<Particle> {
    let chance = random.uniform();
    let count = EXTRA_JETS.iter().filter(|limit| chance < **limit).count();
    let jet = |random: &mut Stream| {
        let transverse = JET_THRESHOLD * (1.0 + random.exponential());
        let [cosine, sine] = turn(random.uniform());
        Particle { vector: forward(transverse * cosine, transverse * sine, 0.0, random), mass: 0.0 }
    };
    (0..count).map(|_| jet(random)).collect()
}

/// A particle from the collision: pT gamma-distributed, any direction across the beams.
fn produced(random: &mut Stream, mass: f64) -> FourVector {
    let transverse = TRANSVERSE_SCALE * (random.exponential() + random.exponential());
    let [cosine, sine] = turn(random.uniform());
    forward(transverse * cosine, transverse * sine, mass, random)
}

/// A particle with this momentum across the beams, and a normally distributed rapidity.
fn forward(x: f64, y: f64, mass: f64, random: &mut Stream) -> FourVector {
    let rapidity = RAPIDITY_SPREAD * random.normals()[0];
    let transverse_mass = (x * x + y * y + mass * mass).sqrt();
    FourVector::on_shell([x, y, transverse_mass * sinh(rapidity)], mass)
}

/// t → b W, W → lepton and neutrino.
fn top_decay(random: &mut Stream, top: &FourVector) -> (Particle, Particle, FourVector) {
    let [b, w] = decay(random, top, [B_MASS, W_MASS]);
    let mass = LEPTON_MASSES[usize::from(random.uniform() < 0.5)];
    let [lepton, neutrino] = decay(random, &w, [mass, 0.0]);
    (Particle { vector: b, mass: B_MASS }, Particle { vector: lepton, mass }, neutrino)
}

/// A decay into two particles of these masses, in any direction alike.
fn decay(random: &mut Stream, parent: &FourVector, [first, second]: [f64; 2]) -> [FourVector; 2] {
    let mass = parent.mass();
    // Momentum of the daughters where the parent rests: Review of Particle Physics, "Kinematics", two-body decays.
    let (sum, difference) = (first + second, first - second);
    let momentum = ((mass * mass - sum * sum) * (mass * mass - difference * difference)).max(0.0).sqrt() / (2.0 * mass);
    let along = 2.0 * random.uniform() - 1.0;
    let across = momentum * (1.0 - along * along).sqrt();
    let [cosine, sine] = turn(random.uniform());
    let [x, y, z] = [across * cosine, across * sine, momentum * along];
    [FourVector::on_shell([x, y, z], first).boosted(parent), FourVector::on_shell([-x, -y, -z], second).boosted(parent)]
}
