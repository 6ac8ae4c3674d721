/** Declares the statistics of one commit, for metrics. */
export interface CommitStatistics {
  readonly appends: number
  readonly events: number
  /** Length of data and metadata; bytes as long as the texts are ASCII. */
  readonly bytes: number
  /** From handing the batch over to having its answers. */
  readonly durationMs: number
}
