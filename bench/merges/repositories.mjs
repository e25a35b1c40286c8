// Where the merges come from: public repositories of many kinds, with histories of merge commits.
export const repositories = `
HolmesGPT/holmesgpt LemmyNet/lemmy RocketChat/Rocket.Chat TryGhost/Ghost VictoriaMetrics/helm-charts
argoproj/argo-helm babel/babel bevyengine/bevy clap-rs/clap containers/podman cypress-io/cypress
diesel-rs/diesel directus/directus discourse/discourse doctrine/orm ember-cli/ember-cli emberjs/ember.js
expressjs/express grafana/helm-charts grafana/mimir home-assistant/frontend jaegertracing/helm-charts
kiali/helm-charts laravel/laravel mastodon/mastodon mochajs/mocha mui/material-ui npm/cli nrwl/nx
opensearch-project/helm-charts parse-community/parse-server prometheus-community/helm-charts rust-lang/cargo
rust-lang/crates.io rust-lang/mdBook rust-lang/rust-clippy sebastianbergmann/phpunit strapi/strapi
twpayne/chezmoi webpack/webpack yeoman/generator
`
  .trim()
  .split(/\s+/);
