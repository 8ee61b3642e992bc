# The same Node.js as in package.json, for both stages. To pin its digest as well, ask your registry for it:
#   docker buildx imagetools inspect node:24.21.0-bookworm-slim --format '{{.Manifest.Digest}}'
#   docker compose build --build-arg NODE=node:24.21.0-bookworm-slim@sha256:…
# A mirror is given the same way, and so is a base of your own: Debian with Node.js, npm and a user node (1000).
ARG NODE=node:24.21.0-bookworm-slim

FROM ${NODE} AS build
WORKDIR /app
# Libraries first: a change of the sources alone does not install them again.
# npm ci verifies every package against its checksum in the lock file; no package may run a script.
COPY package.json package-lock.json ./
# npm keeps what it downloads in a folder of the builder: a change of the lock file downloads only what is new.
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY build.mjs ./
COPY src ./src
# Optional is what belongs to a platform: the compiler itself, and a Node.js for checkouts. The commit is for `svcsync --version`.
# The files at the end are what only a compiler, an editor or another platform reads. One step: each one more costs a builder its time.
ARG REVISION=
RUN SVCSYNC_COMMIT=$REVISION npm run build \
  && npm prune --ignore-scripts --omit=dev --omit=optional \
  && find dist node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.tsbuildinfo' \
    -o -name '*.c' -o -name '*.cc' -o -name '*.cpp' -o -name '*.h' -o -name '*.hpp' -o -name '*.gyp' -o -name '*.gypi' \) -delete \
  && find node_modules/better-sqlite3/prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete \
  && find dist node_modules -depth -type d -empty -delete

FROM ${NODE}
# The program of the private queue: where QUEUE_URL is unset, one container is enough. tini is
# the init process: it passes on signals and reaps orphans, which Node does not do.
RUN apt-get update \
  && apt-get install -y --no-install-recommends redis-server tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log \
  && mkdir /data \
  && chown node:node /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY config ./config
# What messages name.
COPY .env.example ./
COPY docs/commands.md docs/notifications.md docs/sync-file.md ./docs/
# The commands of the operator: docker compose exec svcsync svcsync status
RUN chmod +x dist/main.js && ln -s /app/dist/main.js /usr/local/bin/svcsync
# Fail the build, not the first start, when the store's library or a program does not work on this platform.
# Without a compile cache: this step runs as root, the container does not.
RUN NODE_DISABLE_COMPILE_CACHE=1 svcsync --version && redis-server --version \
  && node -e 'new (require("better-sqlite3"))(":memory:").exec("SELECT 1")'
# Of the release; deploy/release/docker-bake.json gives them. After the steps that they would repeat.
ARG VERSION=unreleased
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="svcsync" \
  org.opencontainers.image.description="Keeps a field-service system in step with the ERP that leads it: no duplicates, nothing lost, nothing overwritten that is not ours." \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}" \
  org.opencontainers.image.documentation="/app/docs" \
  org.opencontainers.image.licenses="LicenseRef-UNLICENSED"
# Inside a container the port is reached through the one that is published, so it listens on every address. Probes and metrics
# are answered; the page needs PAGE_TOKEN or PAGE_USERS there.
ENV NODE_ENV=production DATA_DIR=/data HEALTH_HOST=0.0.0.0 HEALTH_PORT=8080
USER node
# The only place that is written to: the rest may be mounted read-only.
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HEALTH_PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# A clean stop: what runs is finished within STOP_GRACE_SECONDS. Give the container more than that.
STOPSIGNAL SIGTERM
# The first line of svcsync sets the options of Node.
ENTRYPOINT ["tini", "--", "svcsync"]
CMD ["run"]
