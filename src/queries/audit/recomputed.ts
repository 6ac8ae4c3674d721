/** Counts recomputed evaluations, and lists the first that differ from their records. */

/** An evaluation that is not what its record says, or cannot be computed again. */
export interface Finding {
  readonly evaluation_id: string
  /** Of its event in the log. */
  readonly position: number
  /** The places in which record and computation differ, or what was in the way. */
  readonly why: string
}

export interface Recomputed {
  /** Evaluations that were computed again and are the same to the byte. */
  readonly same: number
  /** Those whose evidence was erased with its subject: nobody can compute them any more. */
  readonly forgotten: number
  /** All others. */
  readonly others: number
  /** Of the others the first in the log, a hundred at the most. */
  readonly findings: readonly Finding[]
}

/** While it is counted. */
export interface Tally extends Recomputed {
  same: number
  forgotten: number
  others: number
  findings: Finding[]
}

const findingsMax = 100

/** Nothing counted yet. */
export function newTally(): Tally {
  return { same: 0, forgotten: 0, others: 0, findings: [] }
}

/** Counts an evaluation that differs. */
export function noteOther(tally: Tally, finding: Finding): void {
  tally.others += 1
  if (tally.findings.length < findingsMax) tally.findings.push(finding)
}

/** Adds the counts of a range of the log; the ranges come in any order. */
export function addTo(tally: Tally, part: Recomputed): void {
  tally.same += part.same
  tally.forgotten += part.forgotten
  tally.others += part.others
  tally.findings = [...tally.findings, ...part.findings]
    .sort((one, other) => one.position - other.position)
    .slice(0, findingsMax)
}
