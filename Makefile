# Throng in a few commands. `make` lists them.
.DEFAULT_GOAL := help
.PHONY: help demo test python quick long bench fuzz deny

# cargo-nextest runs tests in parallel processes; plain cargo test does as well.
RUN := $(shell cargo nextest --version >/dev/null 2>&1 && echo "nextest run" || echo test)

# How the demo is built and run; the tests run it with what they have built already.
PROFILE ?= release
BUILD ?= cargo build --profile $(PROFILE) -p throng-cli
THRONG ?= cargo run --quiet --profile $(PROFILE) -p throng-cli --

# The example project of the demo, made anew each time.
DEMO := target/demo
ASK := query --policy $(DEMO)/throng.toml --yes --chart
BY_CLINIC := "SELECT clinic, count(*) AS visits, avg(minutes) AS minutes FROM visits GROUP BY clinic"
BY_REASON := "SELECT reason, count(DISTINCT person_id) AS people FROM visits GROUP BY reason ORDER BY people DESC"
BY_REGION := "SELECT c.region, count(*) AS visits, median(v.cost) AS cost FROM visits v JOIN clinics c ON v.clinic = c.clinic GROUP BY c.region"

# The mechanisms of the demo: 60 epochs of training on MNIST, and a template.
TRAINING := '14062 * sampled(gaussian(sigma=0.8), rate=256/60000)'
TEMPLATE := '14062 * sampled(gaussian(sigma=?), rate=256/60000)'

# Prints a call of throng as people type it, then makes it.
define show
@printf '\n$$ throng %s\n\n' '$(subst ','"'"',$(1))'
@$(THRONG) $(1)
endef

help: ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

demo: ## ask an example data set in SQL: tables with error bars, the budget left; then the accountant
	@$(BUILD)
	@rm -rf $(DEMO)
	$(call show,init --example $(DEMO))
	@printf '\nThe policy of its owner says:\n\n'
	@grep -v '^#' $(DEMO)/throng.toml | grep -v '^$$' | head -16
	$(call show,$(ASK) $(BY_CLINIC))
	$(call show,$(ASK) $(BY_REASON))
	$(call show,$(ASK) $(BY_REGION))
	$(call show,ledger show --policy $(DEMO)/throng.toml)
	@printf '\nWhat does a training run guarantee, and how much noise does a target take?\n'
	$(call show,account $(TRAINING) --delta 1e-5)
	$(call show,calibrate $(TEMPLATE) --epsilon 1 --delta 1e-6)

test: ## everything that must hold: format, lints, all tests, documentation
	./tools/setup
	cargo fmt --all --check
	cargo fmt --check --manifest-path bench/Cargo.toml
	cargo fmt --check --manifest-path fuzz/Cargo.toml
	cargo clippy --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --all-features --no-deps
	cargo test --workspace --all-features --doc
	cargo $(RUN) --workspace --all-features
	./tools/python

python: ## the Python package alone: wheel, types, documentation examples, tests
	./tools/python

quick: ## the inner loop: the crates that need nothing installed
	cargo $(RUN)

long: ## what takes minutes: a thousand faults of the ledger, long queries, the zoo with other seeds; does time depend on the noise?
	cargo test --release -p throng-ledger --all-features -- --ignored --nocapture
	cargo test --release -p throng-query --all-features -- --ignored --nocapture
	cargo test --release -p throng-audit --all-features --test it -- exhibits --ignored --nocapture
	cargo test --release -p throng-sample --all-features --test it -- timing --ignored --nocapture --test-threads 1

bench: ## Throng and its peers in one run, as ratios (see bench/README.md)
	cargo run --release --manifest-path bench/Cargo.toml --bin noise
	cargo run --release --manifest-path bench/Cargo.toml --features mechanism,opendp --bin mechanism
	./bench/account.sh
	./bench/query.sh
	./bench/python.sh
	./bench/learn.sh
	cargo run --release -p throng-ledger --example charges
	cargo run --release -p throng-audit --example speed
	cargo run --release -p throng-audit --example power

fuzz: ## a minute of fuzzing of each parser (needs cargo-fuzz)
	cd fuzz && RUSTC_BOOTSTRAP=1 cargo fuzz run parse_rational -- -max_total_time=60
	cd fuzz && RUSTC_BOOTSTRAP=1 cargo fuzz run parse_spec -- -max_total_time=60
	cd fuzz && RUSTC_BOOTSTRAP=1 cargo fuzz run --features query parse_policy -- -max_total_time=60
	cd fuzz && RUSTC_BOOTSTRAP=1 cargo fuzz run --features query plan_sql -- -max_total_time=60

deny: ## licences and sources of all dependencies (needs cargo-deny)
	cargo deny check bans licenses sources
