# Vigil in a container: docs/guide/deployment.md, "In a container". Run it with `--init`. Runs with a read-only root; only /var/lib/vigil and /tmp are written.

FROM node:26.13.0-bookworm-slim AS dependencies
WORKDIR /opt/vigil
COPY package.json package-lock.json ./
# SQLite comes built for every platform; the image needs those of Linux.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@photostructure/sqlite/prebuilds/darwin-* node_modules/@photostructure/sqlite/prebuilds/win32-*

FROM node:26.13.0-bookworm-slim AS build
WORKDIR /opt/vigil
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY console ./console
RUN npm run --silent build

FROM node:26.13.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 VIGIL_DATA=/var/lib/vigil
WORKDIR /opt/vigil
COPY package.json LICENSE ops/healthCheck.js ./
COPY --from=dependencies /opt/vigil/node_modules ./node_modules
COPY --from=build /opt/vigil/dist ./dist
RUN ln -s /opt/vigil/dist/cli/main.js /usr/local/bin/vigil \
  && install -d -m 0700 -o 1000 -g 1000 /var/lib/vigil

# `node` of the base image, by number, so that it can be seen not to be root
USER 1000:1000
VOLUME /var/lib/vigil
EXPOSE 8080
# Requests under way are answered within 20 s of it, then the stores are closed: give it 40 s.
STOPSIGNAL SIGTERM
# Whether the process lives. Whether it is ready (`/health/ready`) is for whoever sends requests: being killed would not help it.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["node", "healthCheck.js", "/health/live"]
CMD ["node", "--v8-pool-size=1", "dist/main.js"]
