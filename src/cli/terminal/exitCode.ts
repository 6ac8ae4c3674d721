/** What the command line ends with. */

export const exitCodes = {
  done: 0,
  /** The service refused (4xx). */
  refused: 1,
  /** `diff` or `push --dry-run`: something differs. With these what the service refuses ends with `usage`. */
  differs: 1,
  /** The command, the profile or the folder is not in order; nothing was asked of the service, or nothing was changed. */
  usage: 2,
  /** The service could not be reached, failed (5xx), or what answered is no Vigil. */
  unreachable: 3,
  /** `replay`, `recompute`, or `recipes compare --exit-code`, found differences. */
  differences: 4,
  /** `eval` or `flows test`, with `--exit-code`, was answered FLAG. */
  flagged: 10,
  /** A mistake in the command line itself. */
  broken: 70,
  /** Interrupted by Ctrl-C before the work was done. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
