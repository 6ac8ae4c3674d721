/** The rooms of a floor: the areas of the trade in their order, machinery that knows none of them, and the registries that see all. */

export interface Import {
  /** Both under `src`. */
  readonly file: string
  readonly target: string
}

/** On one floor an area may import from those before it. */
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

interface Floor {
  readonly machinery: readonly string[]
  /** Files that see every area of the floor. */
  readonly registries: readonly string[]
}

const floors: Readonly<Record<string, Floor>> = {
  events: { machinery: ['recording'], registries: ['events/catalogue.ts'] },
  commands: { machinery: ['handling'], registries: [] },
  projections: { machinery: ['running'], registries: ['projections/readModels.ts'] },
  queries: {
    machinery: ['reading'],
    registries: ['queries/heavyQuestions.ts', 'queries/heavyReads.ts'],
  },
  service: { machinery: ['opening'], registries: ['service.ts'] },
  http: {
    machinery: ['request', 'middleware', 'interface'],
    registries: ['http/routes.ts', 'http/app.ts', 'http/server.ts'],
  },
  cli: {
    machinery: ['terminal', 'connecting'],
    registries: ['cli/program.ts', 'cli/main.ts', 'cli/runCli.ts'],
  },
}

type Room = 'area' | 'machinery' | 'registry' | 'none'

/** Every file that stands in no room, and every import on one floor against the order; none when all is well. */
export function roomProblems(
  files: readonly string[],
  imports: readonly Import[],
): readonly string[] {
  const misplaced = files
    .filter((file) => floors[floorOf(file)] && roomOf(file) === 'none')
    .map((file) => `${file} stands in no room of its floor`)
  const against = imports
    .filter((found) => floors[floorOf(found.file)] && !isAllowed(found))
    .map(({ file, target }) => `${file} imports ${target} against the order of the rooms`)
  return [...misplaced, ...against]
}

function isAllowed({ file, target }: Import): boolean {
  if (floorOf(file) !== floorOf(target) || roomOf(file) === 'registry') return true
  const to = roomOf(target)
  if (to === 'machinery') return true
  return to === 'area' && roomOf(file) === 'area' && areas.indexOf(nameOf(target)) <= indexOf(file)
}

function indexOf(file: string): number {
  return areas.indexOf(nameOf(file))
}

function roomOf(file: string): Room {
  const { machinery = [], registries = [] } = floors[floorOf(file)] ?? {}
  if (registries.includes(file)) return 'registry'
  const name = file.split('/').length > 2 ? nameOf(file) : ''
  if (machinery.includes(name)) return 'machinery'
  return areas.includes(name) ? 'area' : 'none'
}

/** `service` of `service.ts` and of `service/accounts/a.ts`. */
function floorOf(file: string): string {
  return file.replace(/\.ts$/, '').split('/')[0] ?? ''
}

function nameOf(file: string): string {
  return file.split('/')[1] ?? ''
}
