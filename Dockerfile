# The lab in a container: dbdyno, dbdyno-load and what fetches and starts engines.
#
#   docker build -t dbdyno .
#   docker run --rm -v "$PWD/results:/results" -v dbdyno-home:/var/cache/dbdyno dbdyno compare mariadb:11.8 mysql:9.7
#
# Engines and filled datasets stay in the volume, results in the folder. Add --privileged where [limits] memory is to
# bound servers by control groups.
FROM rust:1-bookworm AS load
WORKDIR /build
COPY Cargo.toml Cargo.lock rust-toolchain.toml ./
COPY .cargo .cargo
COPY crates crates
COPY benches benches
COPY contract contract
RUN cargo build --release --locked --package dbdyno-load

FROM python:3.13-slim-bookworm
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
COPY --from=load /build/target/release/dbdyno-load /usr/local/bin/
COPY pyproject.toml README.md LICENSE /build/
COPY src /build/src
COPY studies /build/studies
COPY share /build/share
# The load generator is there already: its package is not asked for.
RUN sed -i '/"dbdyno-load==/d' /build/pyproject.toml && pip install --no-cache-dir /build && rm -rf /build
ENV DBDYNO_HOME=/var/cache/dbdyno
VOLUME /var/cache/dbdyno
WORKDIR /results
ENTRYPOINT ["dbdyno"]
