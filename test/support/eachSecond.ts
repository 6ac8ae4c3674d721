/** A clock of rates on which a second passes between any two questions, so that wrong tokens are not limited. */

export function eachSecond(): () => number {
  let nowMs = 0
  return () => {
    nowMs += 1_000
    return nowMs
  }
}
