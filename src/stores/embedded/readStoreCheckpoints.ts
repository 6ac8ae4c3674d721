/** The checkpoints in `views.db`. */

import type { Checkpoint, Witness } from '../readStore.ts'
import type { Row, Statement } from './sqlite.ts'

export interface CheckpointStatements {
  /** Moves a checkpoint forward, or leaves it. */
  readonly move: (checkpoint: Checkpoint) => void
  readonly all: () => readonly Checkpoint[]
  readonly remove: (checkpoint: Checkpoint) => void
}

const moveSql = `INSERT INTO checkpoints (projection, version, position, ready, witness, collections)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (projection, version) DO UPDATE SET
    position = excluded.position, ready = max(ready, excluded.ready), witness = excluded.witness,
    collections = excluded.collections
  WHERE position <= excluded.position`

/** The functions over the checkpoint table; `statement` prepares SQL, once. */
export function checkpointStatements(statement: (sql: string) => Statement): CheckpointStatements {
  return {
    move: ({ projection, version, position, ready, witness, collections }) => {
      statement(moveSql).run(
        projection,
        version,
        position,
        Number(ready),
        witness ? JSON.stringify(witness) : null,
        JSON.stringify(collections),
      )
    },
    all: () => statement('SELECT * FROM checkpoints ORDER BY projection, version').all().map(read),
    remove: ({ projection, version }) => {
      statement('DELETE FROM checkpoints WHERE projection = ? AND version = ?').run(
        projection,
        version,
      )
    },
  }
}

function read({ projection, version, position, ready, witness, collections }: Row): Checkpoint {
  return {
    projection: String(projection),
    version: Number(version),
    position: Number(position),
    ready: Number(ready) === 1,
    ...(typeof witness === 'string' ? { witness: JSON.parse(witness) as Witness } : {}),
    collections: JSON.parse(String(collections)) as readonly string[],
  }
}
