/** Writes the ids of what was made into the files that say it. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cliError } from '../../terminal/cliError.ts'
import { exitCodes } from '../../terminal/exitCode.ts'
import type { Change } from './changes.ts'
import { insertId } from './insertId.ts'
import type { FolderProblem } from './problem.ts'
import { writeFile } from './writeFile.ts'

interface Made {
  readonly step: Change
  readonly id: string
}

/** Every id that can be written is; throws with a detail for each that could not be, and what to write by hand. */
export function keepIds(folder: string, made: readonly Made[]): void {
  const problems = made.flatMap(({ step: { name }, id }): readonly FolderProblem[] => {
    try {
      writeFile(folder, name, insertId(readFileSync(join(folder, name), 'utf8'), id))
      return []
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown)
      return [{ path: name, message: `${reason} Write this line into it: id: ${id}` }]
    }
  })
  if (problems.length === 0) return
  throw cliError(
    'What was created has ids that could not be written into their files.',
    exitCodes.usage,
    { code: 'id_not_kept', details: problems },
  )
}
