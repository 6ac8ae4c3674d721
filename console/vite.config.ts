/** Builds the console into `dist/console`, with a compressed copy beside each file. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineConfig } from 'vite'

const root = fileURLToPath(new URL('.', import.meta.url))
const outDir = fileURLToPath(new URL('../dist/console', import.meta.url))

/** The service sends what lies beside a file, and compresses nothing itself. */
const compressed = {
  name: 'compressed copies',
  closeBundle: () => {
    const files = readdirSync(outDir, { recursive: true, encoding: 'utf8' })
    for (const file of files.filter((name) => /\.(?:js|css|html|svg)$/.test(name))) {
      const path = join(outDir, file)
      const bytes = readFileSync(path)
      writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
      writeFileSync(`${path}.br`, brotliCompressSync(bytes))
    }
  },
}

export default defineConfig({
  root,
  base: '/console/',
  logLevel: 'warn',
  plugins: [compressed],
  build: {
    outDir,
    emptyOutDir: true,
    // the policy of the pages allows scripts and styles of files alone
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // of nearly every screen: one request
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: 'parts', test: /parts\/(?:copyId|moment|table|csv|values)\./ }],
        },
      },
    },
    // older ones have no light-dark(), which would be rewritten for them
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
  },
})
