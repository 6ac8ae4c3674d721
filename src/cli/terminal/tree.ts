/** Formats a tree with box-drawing branches. */

/** A line and its child branches. */
export interface Branch {
  readonly text: string
  readonly branches: readonly Branch[]
}

/** A branch without children. */
export function leaf(text: string): Branch {
  return { text, branches: [] }
}

/** The lines of the tree, one per branch. */
export function treeLines({ text, branches }: Branch): readonly string[] {
  return [text, ...branches.flatMap((branch, index) => hung(branch, index === branches.length - 1))]
}

function hung(branch: Branch, isLast: boolean): readonly string[] {
  return treeLines(branch).map((line, index) => {
    if (index === 0) return `${isLast ? '└─' : '├─'} ${line}`
    return `${isLast ? '  ' : '│ '} ${line}`
  })
}
