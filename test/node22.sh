#!/usr/bin/env bash
# npm run test:node22: the tests of single rooms, the store's and the demo on the oldest Node.js that is supported.
set -euo pipefail
cd "$(dirname "$0")/.."
version=22.15.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
system=$(node -p '(process.platform === "win32" ? "win" : process.platform) + "-" + process.arch')
npm install --silent --prefix "$folder" "node-$system@$version"
# Before node_modules/.bin, where the Node.js of the checkout is: what the tests start runs on 22 as well.
export PATH=$folder/node_modules/.bin:$PATH
[[ $(node --version) == "v$version" ]]
node node_modules/vitest/vitest.mjs run test/runtime test/model test/mapping test/settings test/http test/service test/store test/cli/init
node .test-build/main.js demo
