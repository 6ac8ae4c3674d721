/**
 * How many samples a property draws. `npm test` draws a tenth of them, which finds what is plainly wrong within
 * minutes; `npm run test:full` draws them all.
 */
export function draws(all: number): number {
  return drawsAll() ? all : Math.min(all, Math.max(20, Math.ceil(all / 10)))
}

function drawsAll(): boolean {
  return process.env['TEST_DRAWS'] === 'all'
}
