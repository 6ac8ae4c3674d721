/** Whether a path is asked by those who watch over the instance: its health and its metrics. */
export function isMonitoring(path: string): boolean {
  return path.startsWith('/health/') || path === '/metrics'
}
