# Both architectures from one build: nothing in the bundle depends on the machine, and the database brings its native code for all.
#   docker buildx build --platform linux/amd64,linux/arm64 --tag guidepost .
#   docker run --read-only --tmpfs /tmp --volume guidepost:/data --publish 8787:8787 guidepost
FROM --platform=$BUILDPLATFORM node:24-bookworm AS build
WORKDIR /src
COPY . .
RUN make --silent dist/guidepost.js && node_modules/.bin/node scripts/pack-server.ts
WORKDIR /opt/guidepost
RUN npm init --yes && npm install --omit=dev --ignore-scripts --no-audit --no-fund /src/dist/guidepost-model-*.tgz /src/dist/guidepost-[0-9]*.tgz \
    && mv node_modules/guidepost-model /opt/model

FROM node:24-bookworm-slim
# The model, 72 MB, hardly ever changes: machines that have its layer do not load it again.
COPY --from=build /opt/model /opt/guidepost/node_modules/guidepost-model
COPY --from=build /opt/guidepost /opt/guidepost
RUN install --directory --owner=node --group=node --mode=700 /data
# The user `node` by its number, which orchestrators can tell from root.
USER 1000:1000
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
EXPOSE 8787
# Longer than the ten seconds of SHUTDOWN_SECONDS: docker stop --time 20.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8787) + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/guidepost/node_modules/guidepost/dist/guidepost.js"]
CMD ["serve"]
