// Where the merges come from: public repositories of many kinds, with histories of merge commits.
export const repositories = `
HolmesGPT/holmesgpt LemmyNet/lemmy RocketChat/Rocket.Chat TryGhost/Ghost VictoriaMetrics/helm-charts
alacritty/alacritty argoproj/argo-helm babel/babel balena-io/etcher bevyengine/bevy bower/bower
cert-manager/cert-manager clap-rs/clap composer/composer containers/podman cypress-io/cypress diesel-rs/diesel
directus/directus discourse/discourse doctrine/dbal doctrine/orm ember-cli/ember-cli emberjs/ember.js
esphome/esphome expressjs/express grafana/helm-charts grafana/loki grafana/mimir gulpjs/gulp hapijs/hapi
home-assistant/frontend home-assistant/supervisor jaegertracing/helm-charts kiali/helm-charts
kubernetes-sigs/kind kubernetes-sigs/kustomize kubernetes/dashboard laravel/laravel mastodon/mastodon
matrix-org/matrix-js-sdk matrix-org/matrix-react-sdk mochajs/mocha mui/material-ui n8n-io/n8n npm/cli nrwl/nx
opensearch-project/helm-charts parse-community/parse-server prometheus-community/helm-charts rust-lang/cargo
rust-lang/crates.io rust-lang/mdBook rust-lang/rust-clippy sebastianbergmann/phpunit storybookjs/storybook
strapi/strapi twpayne/chezmoi webpack/webpack yeoman/generator
`
  .trim()
  .split(/\s+/);
