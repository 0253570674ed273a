// Usage: WAYBILL_KEY=wbk_live_… go run notify.go https://push.example.com NAME BODY
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

func notify(base, key, name, body string) (string, error) {
	content, err := json.Marshal(map[string]string{"level": "warning", "body": body})
	if err != nil {
		return "", err
	}
	client := http.Client{Timeout: 15 * time.Second}
	for attempt := 0; attempt < 6; attempt++ {
		pause := time.Duration(1<<attempt) * time.Second
		request, err := http.NewRequest("POST", base+"/v1/notifications", bytes.NewReader(content))
		if err != nil {
			return "", err
		}
		request.Header.Set("Authorization", "Bearer "+key)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", strconv.Quote(name))
		if answer, err := client.Do(request); err == nil {
			var said struct{ ID, Detail string }
			err = json.NewDecoder(answer.Body).Decode(&said)
			answer.Body.Close()
			if err == nil && answer.StatusCode == http.StatusAccepted {
				return said.ID, nil
			}
			again := answer.StatusCode == 409 || answer.StatusCode == 429 || answer.StatusCode >= 500
			if err == nil && !again {
				return "", fmt.Errorf("%s", said.Detail)
			}
			if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
				pause = time.Duration(seconds) * time.Second
			}
		}
		time.Sleep(pause)
	}
	return "", fmt.Errorf("no answer")
}

func main() {
	id, err := notify(os.Args[1], os.Getenv("WAYBILL_KEY"), os.Args[2], os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id)
}
