/**
 * Checks the folders of a layer: areas in their order, shared folders that know no area, and registries that see all.
 */

export interface Import {
  /** Both under `src`. */
  readonly file: string
  readonly target: string
}

/** On one layer an area may import from those before it. */
export const areas = [
  'accounts',
  'rulebook',
  'signals',
  'lists',
  'verification',
  'sessions',
  'evaluation',
  'feedback',
  'analysis',
  'audit',
  'operations',
]

interface Layer {
  readonly shared: readonly string[]
  /** Files that see every area of the layer. */
  readonly registries: readonly string[]
}

const layers: Readonly<Record<string, Layer>> = {
  events: { shared: ['recording'], registries: ['events/catalogue.ts'] },
  state: { shared: ['folding'], registries: [] },
  commands: { shared: ['handling'], registries: [] },
  projections: { shared: ['running'], registries: ['projections/allProjections.ts'] },
  queries: {
    shared: ['reading'],
    registries: ['queries/heavyQueries.ts', 'queries/heavyQueryQueue.ts'],
  },
  http: {
    shared: ['request', 'middleware', 'openapi'],
    registries: ['http/routes.ts', 'http/app.ts', 'http/server.ts'],
  },
  cli: {
    shared: ['terminal', 'connecting'],
    registries: ['cli/program.ts', 'cli/main.ts'],
  },
}

type Kind = 'area' | 'shared' | 'registry' | 'none'

/**
 * Files outside of the folders of their layer, and imports on one layer against the order of areas; none when all is
 * well.
 */
export function layerProblems(
  files: readonly string[],
  imports: readonly Import[],
): readonly string[] {
  const misplaced = files
    .filter((file) => layers[layerOf(file)] && placeOf(file) === 'none')
    .map((file) => `${file} stands in no folder of its layer`)
  const against = imports
    .filter((found) => layers[layerOf(found.file)] && !isAllowed(found))
    .map(({ file, target }) => `${file} imports ${target} against the order of the areas`)
  return [...misplaced, ...against]
}

function isAllowed({ file, target }: Import): boolean {
  if (layerOf(file) !== layerOf(target) || placeOf(file) === 'registry') return true
  const to = placeOf(target)
  if (to === 'shared') return true
  return to === 'area' && placeOf(file) === 'area' && areas.indexOf(nameOf(target)) <= indexOf(file)
}

function indexOf(file: string): number {
  return areas.indexOf(nameOf(file))
}

function placeOf(file: string): Kind {
  const { shared = [], registries = [] } = layers[layerOf(file)] ?? {}
  if (registries.includes(file)) return 'registry'
  const name = file.split('/').length > 2 ? nameOf(file) : ''
  if (shared.includes(name)) return 'shared'
  return areas.includes(name) ? 'area' : 'none'
}

/** `commands` of `commands/accounts/a.ts`. */
function layerOf(file: string): string {
  return file.replace(/\.ts$/, '').split('/')[0] ?? ''
}

function nameOf(file: string): string {
  return file.split('/')[1] ?? ''
}
