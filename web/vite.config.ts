// Builds report.html: one file that needs no network. The program puts its data in place of the marker.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const MARKER = "/*anole-data*/";
const STATIC = "<!--anole-static-->"; // place of the content that is readable without scripts
const TOP = import.meta.dirname;

// The source files of the page; tests/web/stale.sh lists the same ones.
function sources(): string[] {
  const inSrc = readdirSync(`${TOP}/src`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(TOP.length + 1));
  return [
    "index.html",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "vite.config.ts",
    ...inSrc,
  ].sort();
}

// As printed by `sha256sum FILE... | sha256sum`.
function hashOfSources(): string {
  const sum = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");
  return sum(
    sources()
      .map((path) => `${sum(readFileSync(`${TOP}/${path}`))}  ${path}\n`)
      .join(""),
  );
}

// Writes only the page into the repository.
function writeReport(): Plugin {
  return {
    name: "write-report",
    enforce: "post",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const page = bundle["index.html"];
        if (page?.type !== "asset") throw new Error("the build made no index.html");
        const html = page.source
          .toString()
          .replace("<head>", () => `<head>\n<meta name="anole-sources" content="sha256:${hashOfSources()}">`);
        for (const marker of [MARKER, STATIC])
          if (html.split(marker).length !== 2) throw new Error(`report.html must hold ${marker} exactly once`);
        writeFileSync(`${TOP}/report.html`, html);
      },
    },
  };
}

export default defineConfig({
  root: TOP,
  plugins: [viteSingleFile(), writeReport()],
  build: { target: "es2022", write: false, modulePreload: false, chunkSizeWarningLimit: 1000 },
  test: { include: ["src/**/*.test.ts"] },
} as Parameters<typeof defineConfig>[0]);
