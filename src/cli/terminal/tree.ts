/** Formats a tree with box-drawing branches. */

/** A line and what hangs below it. */
export interface Branch {
  readonly text: string
  readonly branches: readonly Branch[]
}

/** A line with nothing below it. */
export function leaf(text: string): Branch {
  return { text, branches: [] }
}

/** The tree, a line for each branch. */
export function treeLines({ text, branches }: Branch): readonly string[] {
  return [text, ...branches.flatMap((branch, index) => hung(branch, index === branches.length - 1))]
}

function hung(branch: Branch, isLast: boolean): readonly string[] {
  return treeLines(branch).map((line, index) => {
    if (index === 0) return `${isLast ? '└─' : '├─'} ${line}`
    return `${isLast ? '  ' : '│ '} ${line}`
  })
}
