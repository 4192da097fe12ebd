# What production needs of node_modules, by itself: a change of the source leaves this layer as it is.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --workspaces=false

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json ./console/
COPY tools/docs-site/package.json ./tools/docs-site/
# Not the tools that check types: CI has done that.
RUN --mount=type=cache,target=/root/.npm \
  npm ci --include-workspace-root --workspace=console --workspace=tools/docs-site
COPY ormconfig.ts ./
COPY src ./src
COPY tools ./tools
COPY console ./console
# What the merchants' documentation is made of.
COPY docs ./docs
COPY sdk/typescript/README.md ./sdk/typescript/
COPY sdk/php/README.md ./sdk/php/
COPY CHANGELOG.md openapi.json ./
COPY scripts/build-console.mjs scripts/compile.mjs scripts/pack.mjs scripts/swc.mjs scripts/vendor.mjs ./scripts/
RUN npm run build:service && npm run build:site && npm run build:console

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Order Top-up Service"
# tini ends the process at a signal that comes before the process listens for it; Node as process 1 would ignore it.
RUN apt-get update \
  && apt-get install -y --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* \
  && ln -s /app/bin/topup.js /usr/local/bin/topup \
  # For what the simulator and the seed of the sandbox keep; the service itself writes no file.
  && install -d -o node -g node /var/lib/topup
ENV NODE_ENV=production TOPUP_DATA_DIR=/var/lib/topup
# Told of a small heap, V8 collects before it grows: a process under load stays below 180 MB instead of 280.
ENV NODE_OPTIONS="--max-old-space-size=384"
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY bin ./bin
COPY --from=build /app/dist ./dist
# What Node compiles is kept, and read by each start. It is made here, because a container may not be able to write.
ENV NODE_COMPILE_CACHE=/app/dist/compiled
RUN install -d -o node -g node dist/compiled
USER node
RUN node --input-type=module --eval "for (const part of \
  ['api-process', 'worker-process', 'cli/program', 'cli/session', 'cli/merchant.commands', 'cli/order.commands']) \
  await import('/app/dist/src/' + part + '.js')"
# What was compiled with other flags is of no use to the console.
RUN node --max-semi-space-size=4 --input-type=module --eval "await import('/app/dist/src/console/console-process.js')"
EXPOSE 3000
# Alive, whichever of the two runs: the API on its own port, a worker on its management port.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/bin/healthcheck.js"]
ENTRYPOINT ["tini", "--"]
# The API by default; a worker runs `node dist/src/worker.js` from the same image.
CMD ["node", "dist/src/main.js"]
