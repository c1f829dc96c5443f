# The official image of PostgreSQL with the extension:
#
#   docker build --build-arg PG_MAJOR=18 -t anonopt .

ARG PG_MAJOR=18

FROM postgres:$PG_MAJOR AS build
ARG PG_MAJOR
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev make postgresql-server-dev-$PG_MAJOR
COPY . /tmp/anonopt
RUN make -C /tmp/anonopt -j"$(nproc)" with_llvm=no && make -C /tmp/anonopt install with_llvm=no DESTDIR=/tmp/root && \
	install -D -m 644 /tmp/anonopt/LICENSE /tmp/root/usr/share/doc/anonopt/LICENSE

FROM postgres:$PG_MAJOR
LABEL org.opencontainers.image.title="anonopt" \
	org.opencontainers.image.description="PostgreSQL, and anonopt, which anonymizes tables where they live" \
	org.opencontainers.image.url="https://anonopt.example/" \
	org.opencontainers.image.source="https://anonopt.example/anonopt" \
	org.opencontainers.image.licenses="PostgreSQL"
COPY --from=build /tmp/root/usr /usr
