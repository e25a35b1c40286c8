/** Prometheus' text format, for what is scraped and for what a node exporter reads from a file. */

export interface Sample {
  /** What follows the metric's name: `_bucket`, `_sum`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

export function metricText({ name, type, help, samples }: MetricFamily): string {
  const lines = samples.map(({ suffix = "", labels, value }) => `${name}${suffix}${labelText(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function labelText(labels: Sample["labels"]): string {
  if (labels === undefined) return "";
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",")}}`;
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (sign) => (sign === "\n" ? "\\n" : `\\${sign}`));
}
