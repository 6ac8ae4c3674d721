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
    position = excluded.position, ready = excluded.ready, witness = excluded.witness,
    collections = excluded.collections
  WHERE position <= excluded.position`

/** The functions over the checkpoint table; `statement` prepares SQL, once. */
export function checkpointStatements(statement: (sql: string) => Statement): CheckpointStatements {
  const isReady = ({ projection, version }: Checkpoint): boolean => {
    const known = 'SELECT * FROM checkpoints WHERE projection = ? AND version = ?'
    const row = statement(known).get(projection, version)
    return row !== undefined && read(row).ready
  }
  return {
    move: (checkpoint) => {
      // what was ready once stays so; only who is not has to ask
      const row = rowOf(checkpoint, checkpoint.ready || isReady(checkpoint))
      const { projection, version, position, ready, witness, collections } = row
      statement(moveSql).run(projection, version, position, ready, witness, collections)
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

function rowOf(
  { projection, version, position, witness, collections }: Checkpoint,
  ready: boolean,
) {
  return {
    projection,
    version,
    position,
    ready: Number(ready),
    witness: witness ? JSON.stringify(witness) : null,
    collections: JSON.stringify(collections),
  }
}

function read(row: Row): Checkpoint {
  const { projection, version, position, ready, witness, collections } = row
  return {
    projection: String(projection),
    version: Number(version),
    position: Number(position),
    ready: Number(ready) === 1,
    ...(typeof witness === 'string' ? { witness: JSON.parse(witness) as Witness } : {}),
    collections: JSON.parse(String(collections)) as readonly string[],
  }
}
