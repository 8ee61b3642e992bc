#!/usr/bin/env bash
# npm run test:container: svcsync inside its image, hardened and with 256 MB, against the sandbox. Where neither Docker nor Podman runs
# containers of the image's base, it says why and ends with 0, with CONTAINER_REQUIRED=1 with 1.
#   CONTAINER_BASE    the base of the image instead of the Dockerfile's: a mirror, or a stand-in with Node.js, npm and a user node (1000)
#   CONTAINER_ENGINE  docker or podman, only this one
#   IMAGE             tries this image, which was built, and builds none
set -euo pipefail
cd "$(dirname "$0")/.."
engine=${CONTAINER_ENGINE:-}
image=${IMAGE:-}
base=
if [[ -z $image ]]; then
  if ! found=$(node --import tsx deploy/release/engine-main.ts); then
    [[ -n $found ]] || exit 1
    echo "test:container was skipped: $found"
    exit "${CONTAINER_REQUIRED:-0}"
  fi
  read -r engine base <<<"$found"
fi
for candidate in docker podman; do
  [[ -n $engine ]] || ! "$candidate" image inspect "$image" >/dev/null 2>&1 || engine=$candidate
done
if [[ -z $engine ]]; then
  echo "test:container was skipped: neither docker nor podman has the image $image"
  exit "${CONTAINER_REQUIRED:-0}"
fi
name=svcsync-smoke-$$
end() {
  # One by one: Podman removes none where one is missing.
  "$engine" rm --force "$name" >/dev/null 2>&1 || true
  "$engine" rm --force "$name-service" >/dev/null 2>&1 || true
  "$engine" volume rm --force "$name" >/dev/null 2>&1 || true
}
trap end EXIT
fail() {
  echo "test:container: $1" >&2
  "$engine" logs "$name" 2>&1 | tail -20 >&2 || true
  exit 1
}
# Waits for a sign; the limit only ends the test of a broken image.
await() {
  local what=$1 tries=300
  shift
  until "$@" >/dev/null 2>&1; do
    ((tries-- > 0)) || fail "$what did not happen"
    sleep 1
  done
}

if [[ -z $image ]]; then
  image=localhost/svcsync-smoke
  # Podman's own format has no health check.
  format=()
  [[ $engine != podman ]] || format=(--format docker)
  "$engine" build "${format[@]}" --build-arg "NODE=$base" --tag "$image" .
fi

"$engine" volume create "$name" >/dev/null
erp=$(mktemp -d)
node --import tsx --input-type module --eval 'import { createSampleErp } from "#sandbox";
  createSampleErp(`${process.argv[1]}/erp.db`, { customers: 40, contacts: 40, tickets: 40, orders: 40 })[Symbol.dispose]();' "$erp"
tar --create --directory "$erp" . | "$engine" run --rm --interactive --network none --volume "$name:/data" --entrypoint tar "$image" --extract --directory /data --no-overwrite-dir
rm -r "$erp"
"$engine" run --detach --network none --name "$name-service" "$image" sandbox --host 127.0.0.1 --port 9000 >/dev/null
await "the service" "$engine" exec "$name-service" node --eval 'fetch("http://127.0.0.1:9000/").catch(() => process.exit(1))'
hardened=(--network "container:$name-service" --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --memory 256m
  --volume "$name:/data" --env SERVICE_URL=http://127.0.0.1:9000 --env SERVICE_TOKEN=sandbox-token --env ERP_URL=sqlite:/data/erp.db)

[[ $("$engine" run --rm "${hardened[@]}" --entrypoint id "$image" -u) == 1000 ]] || fail "the image runs as another user than 1000"
"$engine" run --rm "${hardened[@]}" "$image" check || fail "check found a problem"

# The daemon is killed during its first load, and another start ends the load.
"$engine" run --detach --name "$name" "${hardened[@]}" "$image" >/dev/null
delivered() { "$engine" logs "$name" 2>&1 | grep -q '"records\? delivered"'; }
await "a delivery" delivered
"$engine" kill --signal KILL "$name" >/dev/null
"$engine" start "$name" >/dev/null
ready() { "$engine" exec "$name" node --eval 'fetch("http://127.0.0.1:8080/readyz").then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))'; }
await "the second start" ready
"$engine" stop --time 40 "$name" >/dev/null
[[ $("$engine" inspect --format '{{.State.ExitCode}} {{.State.OOMKilled}}' "$name") == "0 false" ]] || fail "it did not stop cleanly"

# 1: a person is needed for records that the sample ERP has broken. 75: records wait.
code=0
"$engine" run --rm "${hardened[@]}" "$image" sync || code=$?
[[ $code == 0 || $code == 1 || $code == 75 ]] || fail "sync ended with $code"
"$engine" exec "$name-service" node --eval '
  const token = { authorization: "Bearer sandbox-token" };
  const answer = await (await fetch("http://127.0.0.1:9000/restApi/v1/customer?fields=id,customerId&limit=1000", { headers: token })).json();
  const rows = Array.isArray(answer) ? answer : Object.values(answer).find(Array.isArray);
  const numbers = new Set(rows.map((row) => row.customerId));
  console.log(`${rows.length} customers, each once: ${numbers.size === rows.length}`);
  process.exitCode = rows.length > 30 && numbers.size === rows.length ? 0 : 1;' --input-type=module || fail "the service holds too few customers, or one of them twice"
echo "test:container: the image holds what it promises ($engine)"
