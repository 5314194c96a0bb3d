# Throng in a few commands. `make` lists them.
.DEFAULT_GOAL := help
.PHONY: help demo test quick long bench fuzz deny

# cargo-nextest runs tests in parallel processes; plain cargo test does as well.
RUN := $(shell cargo nextest --version >/dev/null 2>&1 && echo "nextest run" || echo test)

# The mechanisms of the demo: 60 epochs of training on MNIST; two kinds of noise.
TRAINING := '14062 * sampled(gaussian(sigma=0.8), rate=256/60000)'
PLAIN := 'gaussian(sigma=1)' 'laplace(scale=1)'
TEMPLATE := '14062 * sampled(gaussian(sigma=?), rate=256/60000)'

# A small table, and a release of it: how many patients were in each ward.
ROWS := who,ward\nann,A\nbob,B\nann,C\neve,A\nkim,A\nlea,C\n
RELEASE := target/stays.csv --column ward --unit who --max-keys 2 --keys A,B,C --epsilon 1

# Prints a call of throng as people type it, then makes it.
define show
@printf '\n$$ throng %s\n\n' "$(1)"
@cargo run --quiet --release -p throng-cli -- $(1)
endef

help: ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

demo: ## what a training run guarantees, the noise for a target, a release, a million exact samples
	@cargo build --quiet --release -p throng-cli
	$(call show,account $(TRAINING) --delta 1e-5 --compare)
	$(call show,calibrate $(TEMPLATE) --epsilon 1 --delta 1e-6)
	$(call show,curve $(PLAIN))
	@mkdir -p target && printf '$(ROWS)' > target/stays.csv
	$(call show,histogram $(RELEASE))
	@printf '\nand a million exact samples beside their law:\n\n'
	@cargo run --quiet --release -p throng-sample --example histogram

test: ## everything that must hold: format, lints, all tests, documentation
	./tools/setup
	cargo fmt --all --check
	cargo fmt --check --manifest-path bench/Cargo.toml
	cargo fmt --check --manifest-path fuzz/Cargo.toml
	cargo clippy --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --all-features --no-deps
	cargo test --workspace --all-features --doc
	cargo $(RUN) --workspace --all-features

quick: ## the inner loop: the crates that need nothing installed
	cargo $(RUN)

long: ## what takes minutes and a quiet machine: does time depend on the noise?
	cargo test --release -p throng-sample --all-features --test timing -- --ignored --nocapture --test-threads 1

bench: ## Throng and its peers in one run, as ratios (see bench/README.md)
	cargo run --release --manifest-path bench/Cargo.toml --bin noise
	cargo run --release --manifest-path bench/Cargo.toml --features mechanism,opendp --bin mechanism
	./bench/account.sh

fuzz: ## a minute of fuzzing of each parser (needs cargo-fuzz)
	cd fuzz && RUSTC_BOOTSTRAP=1 cargo fuzz run parse_rational -- -max_total_time=60
	cd fuzz && RUSTC_BOOTSTRAP=1 cargo fuzz run parse_spec -- -max_total_time=60

deny: ## licences and sources of all dependencies (needs cargo-deny)
	cargo deny check bans licenses sources
