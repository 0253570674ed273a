// Usage: WAYBILL_KEY=wbk_live_… go run status.go https://push.example.com ID
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

type notification struct {
	State    string
	Outcomes map[string]int
	Detail   string
}

func status(base, key, id string) (notification, error) {
	var said notification
	request, err := http.NewRequest("GET", base+"/v1/notifications/"+id, nil)
	if err != nil {
		return said, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	client := http.Client{Timeout: 15 * time.Second}
	answer, err := client.Do(request)
	if err != nil {
		return said, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		return said, err
	}
	if answer.StatusCode != http.StatusOK {
		return said, fmt.Errorf("%s", said.Detail)
	}
	return said, nil
}

func main() {
	said, err := status(os.Args[1], os.Getenv("WAYBILL_KEY"), os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(said.State)
	for outcome, count := range said.Outcomes {
		fmt.Println(outcome, count)
	}
}
