/** What the figures were measured on, without anything that tells whose machine it is. */

import { availableParallelism, cpus, release, totalmem, type } from 'node:os'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly node: string
  readonly os: string
}

/** This machine. */
export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    os: `${type()} ${release()} ${process.arch}`,
  }
}
