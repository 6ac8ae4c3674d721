import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'

/** Each line may import from the lines above it and from its own folder, never from its own line or below. */
const floors = [
  ['domain'],
  ['engine', 'auth'],
  ['events'],
  ['stores', 'managed'],
  ['commands', 'projections'],
  ['queries'],
  ['config', 'log', 'metrics'],
  ['service'],
  ['http', 'cli', 'demo'],
  ['main'],
]

const floorOf = new Map(floors.flatMap((names, floor) => names.map((name) => [name, floor])))
const home = (file: string) => file.replace(/\.ts$/, '').split('/')[0] ?? ''
const files = (readdirSync('src', { recursive: true }) as string[]).filter((f) => f.endsWith('.ts'))
const imports = files.flatMap((file) =>
  [...readFileSync(`src/${file}`, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(
    ([, path]) => ({ file, target: posix.normalize(posix.join(posix.dirname(file), path ?? '')) }),
  ),
)
const level = (path: string) => floorOf.get(home(path)) ?? Number.NaN

test('there is something to check', () => expect(imports.length).toBeGreaterThan(100))

test('every folder has a floor', () =>
  expect(files.map(home).filter((name) => !floorOf.has(name))).toEqual([]))

test('no file imports upward or sideways', () =>
  expect(
    imports.filter((i) => home(i.file) !== home(i.target) && !(level(i.target) < level(i.file))),
  ).toEqual([]))

test('the doors see only the service and what is pure', () =>
  expect(
    imports.filter(
      (i) =>
        /^(http|cli)\//.test(i.file) &&
        /^(events|stores|commands|projections|queries)\//.test(i.target),
    ),
  ).toEqual([]))

test('only service.ts opens a store implementation', () =>
  expect(
    imports.filter(
      (i) => /^stores\/(open|.+\/)/.test(i.target) && !/^(stores|service)\b/.test(i.file),
    ),
  ).toEqual([]))
