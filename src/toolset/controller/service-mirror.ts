import type { Detector } from "../discover/detectors.ts";
import { type Discovered, type Discovery, type Recognised, recognise } from "../discover/discover.ts";
import { type KubeService, serviceFacts } from "../discover/service.ts";
import { byText, refText } from "../tool.ts";
import type { Mirror } from "./reflector.ts";

/** The Services that matter, and nothing else of them: of ten thousand in a cluster, a handful are tools. */
export class ServiceMirror {
  readonly #detectors: readonly Detector[];
  readonly #onChange: () => void;
  readonly #known = new Map<string, Recognised>();

  constructor(detectors: readonly Detector[], onChange: () => void) {
    this.#detectors = detectors;
    this.#onChange = onChange;
  }

  /** The part of the mirror that one reflector fills; each watched namespace has its own. */
  part(namespace: string | undefined): Mirror {
    return {
      beginList: () => {
        const listed = new Map<string, Recognised>();
        return {
          take: (item) => {
            const found = this.#recognise(item as KubeService);
            if (found.recognised.kind !== "none") listed.set(found.key, found.recognised);
          },
          commit: () => {
            for (const key of this.#known.keys()) if (namespace === undefined || key.startsWith(`${namespace}/`)) this.#known.delete(key);
            for (const [key, recognised] of listed) this.#known.set(key, recognised);
            this.#onChange();
          },
        };
      },
      changed: (type, item) => {
        const { key, recognised } = this.#recognise(item as KubeService);
        const isGone = type === "DELETED" || recognised.kind === "none";
        if (isGone && !this.#known.has(key)) return;
        if (isGone) this.#known.delete(key);
        else this.#known.set(key, recognised);
        this.#onChange();
      },
    };
  }

  /** What is discovered, as far as `accept` lets it through. */
  discovered(accept: (discovery: Discovery) => boolean): Discovered {
    const found = [...this.#known.entries()].sort(([a], [b]) => byText(a, b)).map(([, recognised]) => recognised);
    return {
      discoveries: this.discoveries().filter(accept),
      diagnostics: found.flatMap((recognised) => (recognised.kind === "unusable" ? [recognised.diagnostic] : [])),
    };
  }

  discoveries(): Discovery[] {
    const found = [...this.#known.values()].flatMap((recognised) => (recognised.kind === "discovered" ? [recognised.discovery] : []));
    return found.sort((a, b) => byText(a.source.namespace, b.source.namespace) || byText(a.source.name, b.source.name));
  }

  #recognise(service: KubeService): { key: string; recognised: Recognised } {
    const { name = "", namespace = "" } = service.metadata ?? {};
    const facts = serviceFacts(service);
    return { key: refText({ namespace, name }), recognised: facts ? recognise(facts, this.#detectors) : { kind: "none" } };
  }
}
