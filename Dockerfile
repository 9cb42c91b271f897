# Serves the wiki mounted at /wiki; the index is on the volume /index.
#   docker build -t wikitrail .
#   docker run --rm -v ~/notes:/wiki:ro -v wikitrail-index:/index wikitrail wikitrail index
#   docker run -p 8123:8123 -v ~/notes:/wiki:ro -v wikitrail-index:/index wikitrail

FROM python:3.11-slim-bookworm AS build

# A further package index, for instance one with builds of torch that hold no CUDA and are far smaller. The
# embedding model itself is one of the dependencies.
ARG EXTRA_INDEX=
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

RUN python -m venv /opt/wikitrail
WORKDIR /source
COPY . .
RUN /opt/wikitrail/bin/pip install ${EXTRA_INDEX:+--extra-index-url "$EXTRA_INDEX"} --constraint constraints.txt .

FROM python:3.11-slim-bookworm

RUN useradd --system --uid 10001 --no-create-home wikitrail \
    && mkdir /wiki /index \
    && chown wikitrail /index
COPY --from=build /opt/wikitrail /opt/wikitrail

ENV PATH=/opt/wikitrail/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    WIKITRAIL_WIKIS__default__ROOT=/wiki \
    WIKITRAIL_WIKIS__default__INDEX=/index \
    WIKITRAIL_SERVER__HOST=0.0.0.0
USER wikitrail
VOLUME /index
EXPOSE 8123

HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8123/healthz', timeout=4)"]
CMD ["wikitrail", "serve"]
