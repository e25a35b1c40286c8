/** What the program says, or why it does not. */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export async function ask<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  const search = new URLSearchParams(query).toString();
  return answered(await reached(`/api/${path}${search === "" ? "" : `?${search}`}`));
}

export async function tell<T>(path: string, body: object): Promise<T> {
  return answered(
    await reached(`/api/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
}

/** The program ends with its terminal; then nobody is there to ask. */
async function reached(address: string, request?: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request);
  } catch {
    const message = "stet has ended, and nothing was written. Run stet ui again, and open the address it prints.";
    throw new Refused("no-answer", message);
  }
}

async function answered<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  if (response.headers.get("content-type")?.startsWith("application/json")) {
    const { code, message } = JSON.parse(text);
    throw new Refused(code, message);
  }
  throw new Refused("no-answer", text);
}
