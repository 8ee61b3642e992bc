# The same Node.js as in package.json, below both stages.
ARG NODE=node:24.21.0-bookworm-slim

FROM ${NODE} AS build
WORKDIR /app
# Libraries first: a change of the sources alone does not install them again.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
# Optional is what belongs to a platform: the compiler itself, and a Node.js for checkouts.
RUN npm run build && npm prune --ignore-scripts --omit=dev --omit=optional

FROM ${NODE}
# The program of the private queue: where QUEUE_URL is unset, one container is enough.
RUN apt-get update \
  && apt-get install -y --no-install-recommends redis-server \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir /data \
  && chown node:node /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY config ./config
# The commands of the operator: docker compose exec svcsync svcsync status
RUN chmod +x dist/main.js && ln -s /app/dist/main.js /usr/local/bin/svcsync
# Inside a container the port is reached through the one that is published, so it listens on every address.
ENV NODE_ENV=production DATA_DIR=/data HEALTH_HOST=0.0.0.0 HEALTH_PORT=8080
USER node
# The only place that is written to: the rest may be mounted read-only.
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HEALTH_PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# A clean stop: what runs is finished within STOP_GRACE_SECONDS. Give the container more than that.
STOPSIGNAL SIGTERM
# Begins with the options of Node that stand in its first line.
ENTRYPOINT ["svcsync"]
CMD ["run"]
